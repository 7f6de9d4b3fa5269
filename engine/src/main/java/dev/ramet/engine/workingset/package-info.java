// SPDX-License-Identifier: Apache-2.0
/**
 * Working sets: the pages of a memory image that a machine uses in the first moments after a
 * restore. They are recorded once, stored with the snapshot, and read into the page cache before
 * the next restore.
 */
@NullMarked
package dev.ramet.engine.workingset;

import org.jspecify.annotations.NullMarked;
