// SPDX-License-Identifier: Apache-2.0
/**
 * Exports and imports snapshots. An export is a directory with all of a snapshot as plain files,
 * and a record with the size and the SHA-256 of each.
 *
 * <pre>
 * export.json       the record, written last
 * manifest.json     the snapshot's manifest
 * disk.raw          the disk, sparse
 * memory.raw        the memory image, sparse; only of a warm snapshot
 * devices/…         the device state; only of a warm snapshot
 * kernel, initrd
 * </pre>
 *
 * <p>An increment to a base snapshot has the following files instead of the images, and leaves out
 * kernel and initial ram disk if they equal the base's. Its record has the size and SHA-256 of the
 * base's images and of the files that base and increment produce.
 *
 * <pre>
 * disk.delta        the differences of the disk from the base's
 * memory.delta      the differences of the memory image; only if both are warm
 * </pre>
 */
@NullMarked
package dev.ramet.engine.exchange;

import org.jspecify.annotations.NullMarked;
