// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.workingset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the file returns what was written, and that invalid files are rejected. */
final class WorkingSetFileTest {
  private static final long PAGE = WorkingSet.PAGE;
  private static final long IMAGE = 64L << 20;
  private static final int FORMAT_AT = 8;

  @TempDir private Path directory;

  private static WorkingSet set(int ranges) {
    WorkingSet.Builder builder = new WorkingSet.Builder("s0123", IMAGE);
    Random random = new Random(5);
    long at = 0;
    for (int i = 0; i < ranges; i++) {
      at += WorkingSet.GAP_BYTES + PAGE * (1 + random.nextInt(20));
      long length = PAGE * (1 + random.nextInt(5));
      builder.add(at, length);
      at += length;
    }
    return builder.build();
  }

  @Test
  void whatIsWrittenIsRead() throws Exception {
    assertNull(WorkingSetFile.read(directory, IMAGE), "there is none yet");
    for (int ranges : new int[] {0, 1, 300}) {
      WorkingSet set = set(ranges);
      assertEquals(ranges, set.ranges().size());
      WorkingSetFile.write(directory, set);
      assertEquals(set, WorkingSetFile.read(directory, IMAGE));
    }
    assertTrue(Files.size(directory.resolve(WorkingSetFile.NAME)) < 1000, "two bytes a range");
    try (var entries = Files.list(directory)) {
      assertEquals(1, entries.count());
    }
  }

  @Test
  void theLargestSetFits() throws Exception {
    long image = 64L << 30;
    WorkingSet.Builder builder = new WorkingSet.Builder("s0123", image);
    long step = WorkingSet.GAP_BYTES + 2 * PAGE;
    long at = 0;
    while (builder.add(at, PAGE)) {
      at += step;
    }
    WorkingSet set = builder.build();
    assertFalse(set.whole());
    WorkingSetFile.write(directory, set);
    assertEquals(set, WorkingSetFile.read(directory, image));
  }

  @Test
  void noDamagedByteGoesUnnoticed() throws Exception {
    byte[] good = WorkingSetFile.encode(set(40));
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 0x10;
      assertThrows(IOException.class, () -> WorkingSetFile.decode(bad, IMAGE), "byte " + i);
      byte[] torn = Arrays.copyOf(good, i);
      assertThrows(IOException.class, () -> WorkingSetFile.decode(torn, IMAGE), "cut at " + i);
    }
    byte[] longer = Arrays.copyOf(good, good.length + 1);
    assertThrows(IOException.class, () -> WorkingSetFile.decode(longer, IMAGE));
  }

  /** Adds a correct checksum, as an attacker with write access could. */
  private static byte[] signed(byte[] bytes) {
    CRC32C crc = new CRC32C();
    int length = bytes.length - Integer.BYTES;
    crc.update(bytes, 0, length);
    ByteBuffer.wrap(bytes).putInt(length, (int) crc.getValue());
    return bytes;
  }

  private void assertRefused(String reason, byte[] bytes) {
    IOException e = assertThrows(IOException.class, () -> WorkingSetFile.decode(bytes, IMAGE));
    assertTrue(String.valueOf(e.getMessage()).contains(reason), e.getMessage());
  }

  @Test
  void anotherFormatOrImageIsRefused() throws Exception {
    byte[] good = WorkingSetFile.encode(set(3));
    byte[] later = good.clone();
    later[FORMAT_AT + 3] = 2;
    assertRefused("format is 2", signed(later));
    IOException other =
        assertThrows(IOException.class, () -> WorkingSetFile.decode(good, IMAGE * 2));
    assertTrue(String.valueOf(other.getMessage()).contains("of an image of"));
  }

  @Test
  void rangesOutsideOfTheImageOrAboveTheBoundAreRefused() throws Exception {
    WorkingSet outside =
        new WorkingSet("s1", IMAGE, true, List.of(new WorkingSet.Range(IMAGE, PAGE)));
    assertRefused("outside", WorkingSetFile.encode(outside));
    WorkingSet beyond =
        new WorkingSet("s1", IMAGE, true, List.of(new WorkingSet.Range(PAGE, IMAGE)));
    assertRefused("outside", WorkingSetFile.encode(beyond));
    WorkingSet large =
        new WorkingSet("s1", IMAGE, true, List.of(new WorkingSet.Range(0, IMAGE / 2)));
    assertRefused("larger than any", WorkingSetFile.encode(large));
    byte[] endless = WorkingSetFile.encode(set(3));
    Arrays.fill(endless, endless.length - 8, endless.length - 4, (byte) 0xff);
    assertThrows(IOException.class, () -> WorkingSetFile.decode(signed(endless), IMAGE));
  }

  @Test
  void whatIsNoFileOrTooLargeIsRefusedWithoutReadingIt() throws Exception {
    Path file = directory.resolve(WorkingSetFile.NAME);
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(1L << 40);
    }
    assertThrows(IOException.class, () -> WorkingSetFile.read(directory, IMAGE));
    Files.delete(file);
    Files.createSymbolicLink(file, Path.of("/dev/zero"));
    assertThrows(IOException.class, () -> WorkingSetFile.read(directory, IMAGE));
    Files.delete(file);
    Files.createDirectory(file);
    assertThrows(IOException.class, () -> WorkingSetFile.read(directory, IMAGE));
  }

  @Test
  void anInheritedSetStaysWhenTheOtherIsReplaced() throws Exception {
    Path from = Files.createDirectory(directory.resolve("from"));
    Path to = Files.createDirectory(directory.resolve("to"));
    WorkingSetFile.inherit(from, to);
    assertNull(WorkingSetFile.read(to, IMAGE), "there was none");
    WorkingSetFile.write(from, set(4));
    WorkingSetFile.inherit(from, to);
    WorkingSetFile.write(from, set(5));
    assertEquals(set(4), WorkingSetFile.read(to, IMAGE));
    WorkingSetFile.write(to, set(6));
    assertEquals(set(5), WorkingSetFile.read(from, IMAGE));
  }
}
