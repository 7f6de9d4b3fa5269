// SPDX-License-Identifier: Apache-2.0
/** What callers see of snapshots and captures. */
@NullMarked
package dev.ramet.engine.snapshots;

import org.jspecify.annotations.NullMarked;
