// SPDX-License-Identifier: Apache-2.0
/** The contract of storage backends: copy-on-write volumes and their snapshots. */
@NullMarked
package dev.ramet.spi.storage;

import org.jspecify.annotations.NullMarked;
