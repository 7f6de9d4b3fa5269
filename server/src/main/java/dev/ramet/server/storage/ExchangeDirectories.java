// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.storage;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.settings.ExchangeSettings;
import io.micronaut.context.annotation.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The directories on the host that requests may read and write files in. Symbolic links are
 * resolved first: where a path leads to is what counts. Thread-safe.
 */
@Context // what is wrong with the setting stops the start
public final class ExchangeDirectories {
  private static final String SETTING = "ramet.exchange-directories";

  private final List<Path> allowed;

  ExchangeDirectories(ExchangeSettings settings) {
    List<String> set = settings.exchangeDirectories();
    allowed =
        set == null
            ? List.of()
            : set.stream()
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .map(ExchangeDirectories::parse)
                .toList();
  }

  private static Path parse(String name) {
    try {
      Path path = Path.of(name);
      if (path.isAbsolute()) {
        return path.normalize();
      }
    } catch (InvalidPathException e) {
      throw new RametException(ErrorCode.INVALID_ARGUMENT, SETTING + ": is not a path: " + name, e);
    }
    throw RametException.invalid(SETTING, "must be absolute: " + name);
  }

  /**
   * A file or directory that a request names, and that need not be there.
   *
   * @param field what the request calls it
   * @param path what it says
   * @return the path to use: absolute, and without links
   * @throws RametException {@code INVALID_ARGUMENT} when it is no absolute path, {@code FORBIDDEN}
   *     when it leads to where requests have no business
   */
  public Path check(String field, @Nullable String path) {
    Path asked = FieldValidation.absolutePath(field, path);
    try {
      Path real = real(asked);
      for (Path directory : allowed) {
        if (Files.isDirectory(directory) && real.startsWith(directory.toRealPath())) {
          return real;
        }
      }
    } catch (IOException e) {
      // A link that leads nowhere, or in a circle, or where the host may not look: not inside.
    }
    throw new RametException(
        ErrorCode.FORBIDDEN,
        field + ": " + asked + " is not in a directory that requests may use",
        allowed.isEmpty()
            ? "have the directory added to " + SETTING + " on the host, which is empty now"
            : "use one below " + list(allowed) + ", or have " + SETTING + " on the host changed",
        null);
  }

  private static String list(List<Path> paths) {
    return String.join(" or ", paths.stream().map(Path::toString).toList());
  }

  /** Resolves the links of what is there; what is not there yet has none. */
  private static Path real(Path path) throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return path.toRealPath();
    }
    Path parent = path.getParent();
    Path name = path.getFileName();
    return parent == null || name == null ? path : real(parent).resolve(name);
  }
}
