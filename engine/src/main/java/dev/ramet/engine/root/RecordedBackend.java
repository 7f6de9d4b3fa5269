// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.engine.state.Layout;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.JsonFile;
import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.Provider;
import dev.ramet.spi.storage.StorageBackendProvider;
import java.io.IOException;
import java.util.stream.Collectors;

/** Reads which storage backend a root was made with, and finds it among the plugins. */
final class RecordedBackend {
  private RecordedBackend() {}

  /** Reads the record of a root that has one. */
  static RootRecord read(Layout layout) {
    RootRecord record;
    try {
      record = JsonFile.read(layout.rootRecord(), RootRecord.class);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.CORRUPT,
          layout.rootRecord() + " cannot be read: " + e.getMessage(),
          "restore it; the storage backend's own marker below volumes/ says which backend it was",
          e);
    }
    if (!record.isKnownFormat()) {
      throw new RametException(
          ErrorCode.CORRUPT,
          layout.root()
              + " has layout "
              + record.format()
              + ", and this version knows up to "
              + RootRecord.TWO_ROOTS,
          "use the version of Ramet that made it",
          null);
    }
    return record;
  }

  /**
   * Describes the refused plugins: one of them may be the missing backend, since the id of a
   * refused plugin is unknown.
   */
  private static String refusalMessages(Plugins plugins) {
    return plugins.refusals().stream()
        .map(refusal -> "; " + refusal.sentence())
        .collect(Collectors.joining());
  }

  /** Returns the storage backend that a root needs. */
  static StorageBackendProvider provider(Plugins plugins, String id, Layout layout) {
    for (Provider<?> candidate : plugins.providers(PluginKind.STORAGE)) {
      if (candidate.id().equals(id) && candidate instanceof StorageBackendProvider provider) {
        return provider;
      }
    }
    throw new RametException(
        ErrorCode.HOST_UNFIT,
        "there is no storage backend "
            + id
            + ", which "
            + layout.root()
            + " needs"
            + refusalMessages(plugins),
        "install the plugin that brings it",
        null);
  }
}
