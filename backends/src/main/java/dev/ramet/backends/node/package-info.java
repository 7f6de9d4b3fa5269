// SPDX-License-Identifier: Apache-2.0
/** Volumes and snapshots in files: their index, contents, transfer and usage. */
@NullMarked
package dev.ramet.backends.node;

import org.jspecify.annotations.NullMarked;
