// SPDX-License-Identifier: Apache-2.0
/**
 * Exported snapshots: a directory with everything of one, as plain files, and a record with the
 * size and the SHA-256 of each. Knows the format; what becomes of the files is the engine's.
 *
 * <pre>
 * export.json       the record, written last
 * manifest.json     the snapshot's manifest
 * disk.raw          the disk, sparse
 * memory.raw        the memory image, sparse; of a warm one
 * devices/…         the device state; of a warm one
 * kernel, initrd
 * </pre>
 *
 * <p>An increment to another snapshot, its base, has these instead of the images, and no kernel and
 * initial ram disk that are the base's. Its record says what the base holds, by size and SHA-256,
 * and what comes of both.
 *
 * <pre>
 * disk.delta        what the disk has otherwise than the base's
 * memory.delta      the same of the memory image; of a warm one to a warm one
 * </pre>
 */
@NullMarked
package dev.ramet.engine.exchange;

import org.jspecify.annotations.NullMarked;
