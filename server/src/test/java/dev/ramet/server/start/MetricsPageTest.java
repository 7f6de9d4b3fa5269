// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the reference page lists exactly the metrics that the code counts. */
class MetricsPageTest {
  private static final Path PROJECT = Path.of("..");

  @Test
  void thePageListsTheMetricsThatAreCounted() throws IOException {
    Set<String> counted = new TreeSet<>();
    for (Path module : modules()) {
      try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .map(MetricsPageTest::read)
            // Kernel objects have names of the same form.
            .filter(source -> source.toLowerCase(Locale.ROOT).contains("metric"))
            .forEach(source -> counted.addAll(names("\"(ramet_[a-z_]+)\"", source)));
      }
    }
    assertFalse(counted.isEmpty());
    Set<String> described = new TreeSet<>();
    for (String line : read(PROJECT.resolve("docs/reference/metrics.md")).split("\n", -1)) {
      if (line.startsWith("| `ramet_")) {
        // The first cell names them; the others may mention a metric.
        described.addAll(names("`(ramet_[a-z_]+)`", line.substring(0, line.indexOf('|', 1))));
      }
    }
    assertEquals(counted, described);
  }

  private static List<Path> modules() throws IOException {
    try (Stream<Path> directories = Files.list(PROJECT)) {
      return directories.filter(one -> Files.isDirectory(one.resolve("src/main/java"))).toList();
    }
  }

  private static List<String> names(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
