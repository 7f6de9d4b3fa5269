// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static dev.ramet.engine.exchange.IncrementGround.DISK_BYTES;
import static dev.ramet.engine.exchange.IncrementGround.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.state.ImageContent;
import dev.ramet.linux.file.Fd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that an increment and its base produce the exported images. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IncrementTest {
  private final IncrementGround ground;

  IncrementTest(@TempDir Path root) throws Exception {
    ground = new IncrementGround(root);
  }

  @Test
  void theBaseBecomesTheImage() throws Exception {
    IncrementCopy copy = ground.copy();
    ExportDirectory export = ExportDirectory.open(copy.directory());
    assertEquals(IncrementGround.snapshot(DISK_BYTES), export.snapshot());
    assertFalse(export.files().contains("disk.raw"));
    assertTrue(export.files().contains("initrd"), "which the base has not");
    assertFalse(export.files().contains("kernel"), "which the base has");
    assertTrue(
        Files.size(copy.directory().resolve("disk.delta")) < 4 * PAGE, "few pages are in it");
    assertTrue(export.files().sizeBytes() < 10 * PAGE, "and little else");
    for (String name : new String[] {"disk", "memory"}) {
      Path image = Files.copy(ground.base(name), copy.scratch().resolve(name));
      copy.apply(name + ".raw", image);
      assertEquals(-1, Files.mismatch(ground.changed(name), image), name);
      assertEquals(
          ExportEdits.byBlocks(image), export.files().requireProducedItem(name + ".raw").sha256());
    }
    ImageContent.Image memory = export.content().memory();
    assertEquals(
        export.files().requireProducedItem("memory.raw").sha256(),
        memory == null ? "" : memory.sha256());
  }

  @ParameterizedTest
  @CsvSource({
    "6291456, 8388608",
    "6291456, 5242880",
    "6291456, 6291457",
    "6291457, 6291456",
    "4096, 4194304"
  })
  void sizesMayDiffer(int baseBytes, int sizeBytes) throws Exception {
    Path scratch = ground.scratch();
    Path disk = scratch.resolve("other");
    byte[] data = new byte[baseBytes];
    new Random(7).nextBytes(data);
    Files.write(disk, data);
    Path changed = IncrementGround.changed(disk, sizeBytes);
    Path in = Files.createDirectory(scratch.resolve("in"));
    Path directory = ground.write(in, disk, changed, baseBytes, sizeBytes);
    new IncrementCopy(directory, scratch).apply("disk.raw", disk);
    assertEquals(-1, Files.mismatch(changed, disk));
  }

  @Test
  void whatIsTheSameTakesNothing() throws Exception {
    Path disk = ground.base("disk");
    try (Fd image = Fd.openRead(disk);
        Fd to = Fd.createNew(ground.scratch().resolve("nothing"), 0600)) {
      DeltaWriter writer = new DeltaWriter(image, DISK_BYTES, DISK_BYTES, to);
      assertEquals(0, writer.finish().dataBytes());
      assertEquals(2 * DeltaReader.RECORD_BYTES, to.sizeBytes());
    }
  }
}
