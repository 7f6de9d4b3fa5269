// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.internal;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreesTest {
  @Test
  void everythingIsSyncedButHints(@TempDir Path directory) throws IOException {
    Files.writeString(Files.createDirectory(directory.resolve("below")).resolve("file"), "text");
    Trees.syncAll(directory);
    // One that cannot be opened shows whether it was to be.
    Files.createSymbolicLink(directory.resolve("below/hint"), Path.of("nowhere"));
    assertThrows(IOException.class, () -> Trees.syncAll(directory));
    Trees.syncAll(directory, Set.of("hint"));
    Files.createSymbolicLink(directory.resolve("other"), Path.of("nowhere"));
    assertThrows(IOException.class, () -> Trees.syncAll(directory, Set.of("hint")));
  }
}
