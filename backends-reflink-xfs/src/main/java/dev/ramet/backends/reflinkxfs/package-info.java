// SPDX-License-Identifier: Apache-2.0
/** Snapshots and forks as clones that share blocks, on XFS with reflink. */
@NullMarked
package dev.ramet.backends.reflinkxfs;

import org.jspecify.annotations.NullMarked;
