// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryReaderTest {
  private final Path dir;

  DirectoryReaderTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void tellsEveryNameOnceAndWhatItIs() throws Exception {
    Map<String, DirectoryReader.Type> expected = new HashMap<>();
    for (int length = 1; length <= 255; length++) {
      String name = "x".repeat(length - 1) + (char) ('a' + length % 26);
      Files.createFile(dir.resolve(name));
      expected.put(name, DirectoryReader.Type.FILE);
    }
    for (int i = 0; i < 8000; i++) {
      String name = "file-" + i;
      Files.createFile(dir.resolve(name));
      expected.put(name, DirectoryReader.Type.FILE);
    }
    Files.createDirectory(dir.resolve("directory"));
    expected.put("directory", DirectoryReader.Type.DIRECTORY);
    Files.createSymbolicLink(dir.resolve("link"), Path.of("/etc"));
    expected.put("link", DirectoryReader.Type.OTHER);
    try (DirectoryReader reader = new DirectoryReader()) {
      for (int again = 0; again < 2; again++) {
        Map<String, DirectoryReader.Type> found = new HashMap<>();
        reader.read(dir, (name, type) -> assertEquals(null, found.put(name, type)));
        assertEquals(expected, found);
      }
      reader.read(dir.resolve("directory"), (name, type) -> assertEquals("", name));
      LinuxException e =
          assertThrows(
              LinuxException.class, () -> reader.read(dir.resolve("absent"), (name, type) -> {}));
      assertEquals(LinuxException.ENOENT, e.errno());
    }
  }

  @Test
  void aNameIsLookedAtWithoutFollowingIt() throws Exception {
    Path file = Files.write(dir.resolve("file"), new byte[77]);
    Files.createSymbolicLink(dir.resolve("link"), file);
    assertEquals(77, PathCalls.stat(file).sizeBytes());
    assertTrue(PathCalls.stat(dir).isDirectory());
    FileStat link = PathCalls.stat(dir.resolve("link"));
    assertTrue(!link.isRegularFile() && !link.isDirectory());
  }
}
