// SPDX-License-Identifier: Apache-2.0
/**
 * Which pages of a memory image a machine uses in the first moments after it was restored: found
 * out once, kept beside the snapshot, and read into the page cache before the next restore.
 */
@NullMarked
package dev.ramet.engine.workingset;

import org.jspecify.annotations.NullMarked;
