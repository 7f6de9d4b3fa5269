// SPDX-License-Identifier: Apache-2.0
/** Snapshots, captures, and the differences between two snapshots. */
@NullMarked
package dev.ramet.api.snapshot;

import org.jspecify.annotations.NullMarked;
