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
 */
@NullMarked
package dev.ramet.engine.exchange;

import org.jspecify.annotations.NullMarked;
