// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.tck.support.Requirement;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The program {@code micro.c}. Built with {@code cc} once for each JVM, or taken from {@code
 * RAMET_TCK_MICRO} where there is no compiler.
 */
final class MicroProgram {
  /** The name of the program's file. */
  static final String NAME = "micro";

  private static @Nullable Path built;

  private MicroProgram() {}

  static synchronized Path path() {
    String given = System.getenv("RAMET_TCK_MICRO");
    if (given != null) {
      return Path.of(given);
    }
    Path made = built;
    if (made == null) {
      Requirement.of("cc", Files.isExecutable(Path.of("/usr/bin/cc")), "no C compiler at /usr/bin");
      try {
        made = build();
      } catch (IOException e) {
        throw new IllegalStateException("cannot build micro.c", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
      built = made;
    }
    return made;
  }

  private static Path build() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("ramet-tck");
    Path source = directory.resolve("micro.c");
    Path program = directory.resolve(NAME);
    for (Path file : List.of(directory, source, program)) {
      file.toFile().deleteOnExit(); // In reverse order.
    }
    try (InputStream in =
        Objects.requireNonNull(MicroProgram.class.getResourceAsStream("micro.c"))) {
      Files.copy(in, source);
    }
    int status =
        new ProcessBuilder("cc", "-O2", "-pthread", "-o", program.toString(), source.toString())
            .inheritIO()
            .start()
            .waitFor();
    if (status != 0) {
      throw new IOException("cc ended with " + status);
    }
    return program;
  }
}
