// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.engine.state.Layout;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.Selection;
import dev.ramet.pluginhost.find.PluginKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Finds existing roots where {@link RootOpener} would find them. It creates no root, probes
 * nothing, and changes nothing except that it mounts a pool. Used by one thread.
 */
public final class RootFinder {
  private final Plugins plugins;
  private final StoragePools pools;

  public RootFinder(Plugins plugins) {
    this.plugins = plugins;
    this.pools = new StoragePools(plugins.provisioners());
  }

  /**
   * Returns whether a directory is a root, or has one in a pool, mounted or not. Changes nothing.
   */
  public boolean isRoot(Path directory) {
    if (Files.exists(new Layout(directory).rootRecord())) {
      return true;
    }
    return pools.hasPool(directory);
  }

  /**
   * Finds the root of a directory, and mounts the pool it is in as a host would.
   *
   * @throws RametException as {@link dev.ramet.engine.start.EngineFactory#openOffline}
   */
  public RootOpener.Root find(PluginKind role, Path directory) {
    Path pool = pools.findPool(directory);
    Layout layout = new Layout(pool == null ? directory : pool);
    if (!Files.exists(layout.rootRecord())) {
      MissingRecordCheck.refuseIfLost(directory);
      MissingRecordCheck.refuseIfLost(layout.root());
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "there is no data root in " + layout.root() + " yet",
          "start a host, which creates it: ramet serve",
          null);
    }
    RootRecord record = RecordedBackend.read(layout);
    String id = record.storageBackend();
    return new RootOpener.Root(
        role,
        layout,
        record,
        RecordedBackend.provider(plugins, id, layout),
        List.of(),
        new Selection(role.label(), layout.root().toString(), id, "recorded in the root"),
        null);
  }

  /** Returns the pools that had to be mounted. */
  public List<Path> mounted() {
    return pools.mounted();
  }
}
