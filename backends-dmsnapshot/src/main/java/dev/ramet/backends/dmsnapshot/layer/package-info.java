// SPDX-License-Identifier: Apache-2.0
/** Layers of a volume: their files, device-mapper devices, merging and inspection. */
@NullMarked
package dev.ramet.backends.dmsnapshot.layer;

import org.jspecify.annotations.NullMarked;
