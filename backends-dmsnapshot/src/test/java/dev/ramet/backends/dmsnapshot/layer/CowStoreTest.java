// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the format of stores, which needs no kernel support. */
class CowStoreTest {
  private final Path dir;

  CowStoreTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void whatIsWrittenIsRead() throws Exception {
    // Around the ends of areas, which hold 256 entries.
    for (int count : new int[] {0, 1, 255, 256, 257, 512, 1000}) {
      try (Fd file = Fd.createNew(dir.resolve("store" + count), 0600)) {
        CowStore.initialize(file, 64L << 20);
        long[] chunks = LongStream.range(0, count).map(i -> i * 3).toArray();
        CowStore.writeTable(file, chunks);
        CowStore.Table table = CowStore.read(file);
        assertEquals(count, table.size());
        for (int i = 0; i < count; i++) {
          assertEquals(chunks[i], table.chunk(i));
          assertEquals(CowStore.chunkIndex(i), table.storeChunk(i));
        }
      }
    }
  }

  @Test
  void everyChunkHasAPlaceOfItsOwn() {
    // Chunk 0 is the header; 1, 258, 515 … are tables.
    assertEquals(2, CowStore.chunkIndex(0));
    assertEquals(257, CowStore.chunkIndex(255));
    assertEquals(259, CowStore.chunkIndex(256));
    long size = 1L << 30;
    long last = CowStore.chunkIndex(size / CowStore.CHUNK_BYTES - 1);
    assertTrue(
        (last + 2 + 257) * CowStore.CHUNK_BYTES <= CowStore.capacityBytes(size) + 4096 * 256);
    assertTrue((last + 2) * CowStore.CHUNK_BYTES <= CowStore.capacityBytes(size));
  }

  @Test
  void aStoreIsNotCutWhereAnAreaEnds() {
    assertEquals(257L * 4096, CowStore.safeLength(258L * 4096));
    for (long chunks : new long[] {256, 257, 259, 260}) {
      assertEquals(chunks * 4096, CowStore.safeLength(chunks * 4096));
    }
  }

  @Test
  void aNewStoreTakesABlock() throws Exception {
    try (Fd file = Fd.createNew(dir.resolve("store"), 0600)) {
      CowStore.initialize(file, 1L << 40);
      assertTrue(file.stat().sizeBytes() > 1L << 40);
      assertTrue(file.stat().allocatedBytes() <= 64 << 10);
    }
  }

  @Test
  void aStoreThatWasGivenUpIsUsedAgain() throws Exception {
    try (Fd file = Fd.createNew(dir.resolve("store"), 0600)) {
      CowStore.initialize(file, 1 << 20);
      assertFalse(CowStore.isInvalidated(file));
      file.pwrite(ByteBuffer.allocateDirect(4), 4);
      assertTrue(CowStore.isInvalidated(file));
      CowStore.revalidate(file);
      assertFalse(CowStore.isInvalidated(file));
    }
    byte[] header = Files.readAllBytes(dir.resolve("store"));
    assertArrayEquals(
        new byte[] {'S', 'n', 'A', 'p', 1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0},
        java.util.Arrays.copyOf(header, 16));
  }

  @Test
  void theTopmostCounts() throws Exception {
    try (Fd top = Fd.createNew(dir.resolve("top"), 0600);
        Fd below = Fd.createNew(dir.resolve("below"), 0600)) {
      CowStore.initialize(top, 1 << 20);
      CowStore.initialize(below, 1 << 20);
      CowStore.writeTable(top, new long[] {3, 5});
      CowStore.writeTable(below, new long[] {1, 3, 7});
      TableUnion union = TableUnion.merge(List.of(CowStore.read(top), CowStore.read(below)));
      assertArrayEquals(new long[] {1, 3, 5, 7}, union.chunks());
      assertEquals(1, union.source(0));
      assertEquals(0, union.source(1));
      assertEquals(CowStore.chunkIndex(0), union.storeChunk(1));
      assertEquals(0, union.source(2));
      assertEquals(CowStore.chunkIndex(2), union.storeChunk(3));
    }
  }

  @Test
  void namesTellLayers() {
    for (Layer layer :
        List.of(
            Layer.newFlat(7),
            Layer.newStore(7, 17),
            new Layer(17, 2, 7, 0),
            new Layer(8, 0, 7, 8192))) {
      assertEquals(layer, Layer.parse(layer.fileName()));
    }
    assertEquals(Layer.newFlat(7), Layer.parse("7.0.flat"));
    assertEquals(new Layer(17, 2, 7, 8192), Layer.parse("17.2.on.7.8192"));
    for (String other :
        List.of(
            "7",
            "7.0",
            "07.0.flat",
            "7.0.flat~",
            "7.0.on.",
            "7.0.on.0",
            "7.0.on.1.0",
            "7.0.flat.1",
            ".id")) {
      assertEquals(null, Layer.parse(other), other);
    }
  }
}
