// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.root.SplitStorage;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.RemoteImages;
import dev.ramet.spi.storage.StorageBackend;

/**
 * Finds the place from which restored machines get their memory: a fault handler where the storage
 * backend and the hypervisor both know one, so that a machine starts before its memory was fetched;
 * elsewhere the image itself.
 *
 * @param storage keeps the memory images
 * @param faultHandler whether the hypervisor restores from a fault handler
 */
public record RestoreMemory(StorageBackend storage, boolean faultHandler) {
  /**
   * Returns the source of a snapshot's memory.
   *
   * @throws dev.ramet.errors.RametException {@code UNSUPPORTED} if the hypervisor would have to map
   *     an image that is not on this host
   */
  MemorySource of(NodeId image) {
    RemoteImages remote =
        faultHandler
            ? Capability.guarded(SplitStorage.backendOf(storage, image), RemoteImages.class)
            : null;
    return remote == null
        ? new MemorySource.MappedImage(storage.attach(image).path())
        : remote.attachMemory(image);
  }
}
