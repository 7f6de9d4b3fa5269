// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.workingset.WorkingSet;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.RemoteImages;
import dev.ramet.spi.storage.StorageBackend;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the working set of a memory image that is not on this host. None is recorded for such an
 * image, because its backend sees by itself which pages machines touch.
 */
final class RemotePrefetch {
  private RemotePrefetch() {}

  /** Fetches a working set, if there is one; what is here already costs nothing. */
  static void fetch(StorageBackend storage, NodeId image, @Nullable WorkingSet set) {
    RemoteImages remote =
        Capability.guarded(SplitStorage.backendOf(storage, image), RemoteImages.class);
    if (remote != null && set != null) {
      set.ranges().forEach(one -> remote.prefetch(image, one.offset(), one.lengthBytes()));
    }
  }
}
