// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.api.storage.StorageCheck;
import dev.ramet.api.storage.StorageUsage;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.config.HostSettingsFile;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.start.OfflineStorageCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The data roots on this machine, opened without a host. A separate class, because only the
 * launcher's full paths have the engine.
 */
final class OfflineDataRoots implements AutoCloseable {
  private final OfflineStorageCommand storage;

  private OfflineDataRoots(OfflineStorageCommand storage) {
    this.storage = storage;
  }

  /** Opens the roots, and says so if a pool had to be mounted. */
  static OfflineDataRoots open(Context context, Path dataRoot) {
    HostSettingsFile found = HostSettingsFile.loadValid(context);
    OfflineStorageCommand storage;
    try {
      storage = OfflineStorageCommand.open(dataRoot, found.host());
    } catch (NoClassDefFoundError e) {
      throw notOnClassPath(e);
    }
    storage.mounted().forEach(pool -> context.err().println("mounted " + pool));
    return new OfflineDataRoots(storage);
  }

  /** Unmounts the pools of a data root on which no host runs; returns their places. */
  static List<Path> unmountPools(Context context, Path dataRoot) {
    try {
      return OfflineStorageCommand.unmountPools(
          dataRoot, HostSettingsFile.loadValid(context).host());
    } catch (NoClassDefFoundError e) {
      throw notOnClassPath(e);
    }
  }

  private static RametException notOnClassPath(NoClassDefFoundError e) {
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "the part that opens a data root is not on the class path",
        "run it with the launcher, the command first: bin/ramet storage …",
        e);
  }

  StorageCheck check(boolean repair) {
    return storage.check(repair);
  }

  void usage(Consumer<StorageUsage> lines) {
    storage.usage(lines);
  }

  @Override
  public void close() {
    storage.close();
  }
}
