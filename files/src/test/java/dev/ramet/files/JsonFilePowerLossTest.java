// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what a power loss leaves of a manifest that was replaced. */
class JsonFilePowerLossTest {
  private static final long SIZE = 300L << 20;

  private final Path directory;

  JsonFilePowerLossTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @ParameterizedTest
  @ValueSource(strings = {"xfs", "btrfs", "ext4"})
  void itIsTheOldOneOrTheNewOne(String type) throws Exception {
    BiFunction<Path, Long, LoopFs> make =
        switch (type) {
          case "xfs" -> LoopFs::xfs;
          case "btrfs" -> LoopFs::btrfs;
          default -> LoopFs::ext4;
        };
    try (LoopFs fs = make.apply(directory, SIZE)) {
      Path replaced = fs.root().resolve("replaced");
      Path durable = fs.root().resolve("durable");
      Path fresh = fs.root().resolve("fresh");
      JsonFile.write(replaced, "old", JsonFile.Care.DURABLE);
      JsonFile.write(durable, "old", JsonFile.Care.DURABLE);
      JsonFile.write(replaced, "new", JsonFile.Care.WHOLE);
      JsonFile.write(fresh, "new", JsonFile.Care.WHOLE);
      JsonFile.write(durable, "new", JsonFile.Care.DURABLE);
      // Writes all names to the disk.
      FileTrees.sync(fs.root());
      fs.losePower();
      assertTrue(List.of("old", "new").contains(JsonFile.read(replaced, String.class)));
      assertEquals("new", JsonFile.read(durable, String.class));
      if (Files.exists(fresh)) {
        assertEquals("new", JsonFile.read(fresh, String.class));
      }
    }
  }
}
