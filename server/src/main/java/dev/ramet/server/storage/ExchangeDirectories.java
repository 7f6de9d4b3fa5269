// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.storage;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingTypes;
import dev.ramet.spi.settings.Settings;
import io.micronaut.context.annotation.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The directories on the host in which requests may read and write files. Symbolic links are
 * resolved before the check. Thread-safe.
 */
@Context // an error in the setting aborts the start
public final class ExchangeDirectories {
  /** The directories. */
  public static final Setting<List<Path>> DIRECTORIES =
      Setting.of(
              "ramet.exchange-directories",
              SettingTypes.PATHS,
              "Directories on the host in which requests may read and write files: storage export"
                  + " and import, template import, container images. A path that leads elsewhere,"
                  + " even through a link, gets 403.")
          .orElse("none")
          .like("/srv/exchange");

  private final List<Path> allowed;

  ExchangeDirectories(Settings settings) {
    allowed = settings.find(DIRECTORIES).orElse(List.of()).stream().map(Path::normalize).toList();
  }

  /**
   * Checks the path of a file or directory that a request names; it need not exist.
   *
   * @param field name of the request's field
   * @param path the path in the request
   * @return the path to use: absolute, and without links
   * @throws RametException {@code INVALID_ARGUMENT} when it is not an absolute path, {@code
   *     FORBIDDEN} when it leads outside the allowed directories
   */
  public Path check(String field, @Nullable String path) {
    Path asked = FieldValidation.absolutePath(field, path);
    try {
      Path real = realPath(asked);
      for (Path directory : allowed) {
        if (Files.isDirectory(directory) && real.startsWith(directory.toRealPath())) {
          return real;
        }
      }
    } catch (IOException e) {
      // A link without a target, in a circle, or to where the host has no access: not inside.
    }
    throw new RametException(
        ErrorCode.FORBIDDEN,
        field + ": " + asked + " is outside the directories that requests may use",
        allowed.isEmpty()
            ? "have the directory added to " + DIRECTORIES.key() + " on the host, which is empty"
            : "use one below "
                + list(allowed)
                + ", or have "
                + DIRECTORIES.key()
                + " on the host changed",
        null);
  }

  private static String list(List<Path> paths) {
    return String.join(" or ", paths.stream().map(Path::toString).toList());
  }

  /** Resolves the links of the part that exists; the rest has none. */
  private static Path realPath(Path path) throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return path.toRealPath();
    }
    Path parent = path.getParent();
    Path name = path.getFileName();
    return parent == null || name == null ? path : realPath(parent).resolve(name);
  }
}
