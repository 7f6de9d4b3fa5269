// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A temporary directory that {@code close()} deletes.
 *
 * @param path the directory
 */
record ScratchDirectory(Path path) implements AutoCloseable {
  static ScratchDirectory createIn(Path root) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(root, "probe"));
  }

  @Override
  public void close() throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(path)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.deleteIfExists(each);
    }
  }
}
