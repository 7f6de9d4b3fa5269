// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;

/**
 * The directory of recipes that tests build the template {@code micro} with. Where {@code
 * RAMET_TEST_TEMPLATE} names images that the real recipe made before, the recipe only copies these:
 * recipes are tested elsewhere, and dozens of classes build the template.
 */
final class GuestFiles {
  /** The system property that says that {@code ramet.guest} is a directory another process made. */
  static final String MADE = "ramet.guest.made";

  private static final Path INSTALLED = Path.of(System.getProperty("ramet.guest"));
  private static final Path DIRECTORY = find();

  private GuestFiles() {}

  static Path directory() {
    return DIRECTORY;
  }

  private static Path find() {
    if (System.getenv("RAMET_TEST_TEMPLATE") == null || Boolean.getBoolean(MADE)) {
      return INSTALLED;
    }
    try (InputStream script =
        Objects.requireNonNull(GuestFiles.class.getResourceAsStream("ready-recipe"))) {
      Path made = Files.createTempDirectory("ramet-guest-");
      Path templates = Files.createDirectory(made.resolve("templates"));
      Path micro = Files.createDirectory(templates.resolve(Ground.TEMPLATE));
      Path recipe = micro.resolve("recipe");
      Files.copy(script, recipe);
      Files.setPosixFilePermissions(recipe, PosixFilePermissions.fromString("rwxr-xr-x"));
      Path agent = made.resolve("ramet-agent");
      Files.createSymbolicLink(agent, INSTALLED.resolve("ramet-agent"));
      // deleteOnExit deletes in reverse order.
      for (Path each : List.of(made, templates, micro, recipe, agent)) {
        each.toFile().deleteOnExit();
      }
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
