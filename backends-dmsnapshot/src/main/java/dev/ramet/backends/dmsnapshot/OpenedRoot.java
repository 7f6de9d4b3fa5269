// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.dmsnapshot.layer.LayerStore;
import dev.ramet.backends.dmsnapshot.layer.LiveDevices;
import dev.ramet.backends.dmsnapshot.record.Records;
import dev.ramet.backends.node.Images;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.linux.file.Fd;

/**
 * The parts of an opened root, after reconciliation.
 *
 * @param lock keeps other processes out until it is closed
 */
record OpenedRoot(
    Layout layout,
    NodeIndex index,
    NodeFiles files,
    Images images,
    LayerStore store,
    LiveDevices live,
    Records records,
    Fd lock) {}
