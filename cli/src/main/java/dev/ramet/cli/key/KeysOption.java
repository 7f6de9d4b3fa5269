// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.key;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.config.HostOptions;
import dev.ramet.cli.storage.DataRoot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.keys.KeyFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options that select the file of keys. Picocli inspects the methods of this class and of the
 * commands whenever any command runs, and the host's classes are not always available, so they may
 * be used only inside methods.
 */
final class KeysOption {
  @Mixin private DataRoot dataRoot = new DataRoot();

  @Option(
      names = "--keys-file",
      paramLabel = "FILE",
      description =
          "The file of keys; unless given, the one in the settings of the host on this machine,"
              + " or "
              + KeyFile.NAME
              + " in the data root.")
  private @Nullable Path given;

  /** Returns the file, which need not exist; its directory does. */
  Path keyFile(Context context) {
    Path file = given;
    if (file == null) {
      String set = HostOptions.set(context, "ramet.keys-file");
      file = set == null ? dataRoot.path(context).resolve(KeyFile.NAME) : Path.of(set);
    }
    file = file.toAbsolutePath().normalize();
    Path directory = file.getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "no such directory: " + directory,
          "name the host's data root with --data-root, or create the directory first",
          null);
    }
    return file;
  }
}
