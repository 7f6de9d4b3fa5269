// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTreesTest {
  @Test
  void everythingIsSyncedButHints(@TempDir Path directory) throws IOException {
    Files.writeString(Files.createDirectory(directory.resolve("below")).resolve("file"), "text");
    FileTrees.syncAll(directory);
    // A file that cannot be opened shows whether it was to be synced.
    Files.createSymbolicLink(directory.resolve("below/hint"), Path.of("nowhere"));
    assertThrows(IOException.class, () -> FileTrees.syncAll(directory));
    FileTrees.syncAll(directory, Set.of("hint"));
    Files.createSymbolicLink(directory.resolve("other"), Path.of("nowhere"));
    assertThrows(IOException.class, () -> FileTrees.syncAll(directory, Set.of("hint")));
  }
}
