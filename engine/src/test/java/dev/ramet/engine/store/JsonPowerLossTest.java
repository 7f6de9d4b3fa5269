// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.internal.Trees;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a loss of power leaves of a manifest that was replaced. */
class JsonPowerLossTest {
  private static final long SIZE = 300L << 20;

  private final Path directory;

  JsonPowerLossTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private record Value(String text) {}

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
      Json.write(replaced, new Value("old"), Json.Care.DURABLE);
      Json.write(durable, new Value("old"), Json.Care.DURABLE);
      Json.write(replaced, new Value("new"), Json.Care.WHOLE);
      Json.write(fresh, new Value("new"), Json.Care.WHOLE);
      Json.write(durable, new Value("new"), Json.Care.DURABLE);
      // Brings all names to the disk.
      Trees.sync(fs.root());
      fs.losePower();
      assertTrue(List.of("old", "new").contains(Json.read(replaced, Value.class).text()));
      assertEquals("new", Json.read(durable, Value.class).text());
      if (Files.exists(fresh)) {
        assertEquals("new", Json.read(fresh, Value.class).text());
      }
    }
  }
}
