// SPDX-License-Identifier: Apache-2.0
/** Snapshots as callers see them. */
@NullMarked
package dev.ramet.engine.snapshot;

import org.jspecify.annotations.NullMarked;
