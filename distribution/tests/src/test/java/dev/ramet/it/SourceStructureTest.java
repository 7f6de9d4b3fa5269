// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that no class has more lines than one reads in one go, nor a test more than one idea. */
final class SourceStructureTest {
  private static final int MOST_LINES = 300;

  @Test
  void sourcesAreShort() throws IOException {
    assertEquals(Map.of(), longOnes("src/main/java"));
  }

  @Test
  void testsAreShort() throws IOException {
    assertEquals(Map.of(), longOnes("src/test/java"));
  }

  private static Map<String, Integer> longOnes(String below) throws IOException {
    Map<String, Integer> lengths = new TreeMap<>();
    int read = 0;
    for (String folder : new String[] {"", "distribution", "examples"}) {
      for (Path file : sources(Contracts.PROJECT.resolve(folder), below)) {
        int lines = Files.readAllLines(file).size();
        read++;
        if (lines > MOST_LINES) {
          lengths.put(file.toString(), lines);
        }
      }
    }
    assertTrue(read > 300, "only " + read + " sources were found");
    return lengths;
  }

  /** Returns the sources of the modules in a folder. */
  private static List<Path> sources(Path folder, String below) throws IOException {
    List<Path> sources = new ArrayList<>();
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(folder)) {
      for (Path module : modules) {
        Path java = module.resolve(below);
        if (Files.isDirectory(java)) {
          try (Stream<Path> files = Files.walk(java)) {
            sources.addAll(files.filter(file -> file.toString().endsWith(".java")).toList());
          }
        }
      }
    }
    return sources;
  }
}
