// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.backends.disk.Steps;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which layers the names of files describe, and which names describe none. */
class LayerTest {
  private static final long LAST = Layer.MAX_ID;

  /** Names that resemble a layer's but are invalid. */
  private static final List<String> FOREIGN =
      List.of(
          // On itself, or on a later one: two such files would stand on each other.
          "5.0.on.5",
          "5.0.on.6",
          "5.0.on.6.4096",
          "0.0.flat",
          "5.0.on.0",
          // Too high: the next number could not be parsed again.
          "1000000000000000.0.flat",
          "999999999999999999.0.flat",
          "1000000000000001.0.on.1000000000000000");

  @Test
  void aNameTellsTheLayer() {
    List<Layer> layers =
        List.of(
            Layer.newFlat(1),
            Layer.newFlat(LAST),
            Layer.newStore(5, 6),
            Layer.newStore(LAST - 1, LAST),
            Layer.newStore(5, 6).grownTo(999_999_999_999_999_999L),
            new Layer(7, 999_999_999, 3, 0));
    for (Layer layer : layers) {
      assertEquals(layer, Layer.parse(layer.fileName()), layer.fileName());
    }
  }

  @Test
  void whatOnlyLooksLikeALayerIsNone() {
    for (String name : FOREIGN) {
      assertNull(Layer.parse(name), name);
    }
  }

  @Test
  void itIsReportedAndLeftAlone(@TempDir Path dir) throws Exception {
    LayerFiles files = new LayerFiles(dir, Steps.NONE);
    for (String name : FOREIGN) {
      Files.writeString(dir.resolve(name), "mine");
    }
    Files.writeString(dir.resolve("6.0.on.5"), "a layer");
    assertEquals(List.of(Layer.newStore(5, 6)), files.list());
    Set<Path> foreign = new TreeSet<>(files.foreignFiles());
    for (String name : FOREIGN) {
      assertTrue(foreign.remove(dir.resolve(name)), name);
      assertTrue(Files.exists(dir.resolve(name)), name);
    }
    assertEquals(Set.of(), foreign);
  }

  @Test
  void noNumberIsGivenThatCannotBeReadAgain() {
    LayerNumbers numbers = new LayerNumbers();
    numbers.markUsed(LAST - 1);
    Layer last = Layer.newFlat(numbers.next());
    assertEquals(last, Layer.parse(last.fileName()));
    RametException e = assertThrows(RametException.class, numbers::next);
    assertEquals(ErrorCode.CORRUPT, e.code());
  }
}
