// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Tests how the RAM blocks of a migration stream are rewritten. */
class RamBlocksTest {
  /**
   * Returns the stream QEMU 7.2 sent for a pc machine with 256 MiB before its first instruction.
   */
  private static byte[] real() throws IOException {
    try (InputStream in =
        new GZIPInputStream(
            Objects.requireNonNull(
                RamBlocksTest.class.getResourceAsStream("ram-7.2-pc.stream.gz")))) {
      return in.readAllBytes();
    }
  }

  @Test
  void keepsTheBlocksOfARealStreamAndDropsTheirAddresses() throws Exception {
    byte[] stream = real();
    RamBlocks blocks = RamBlocks.parse(stream);
    assertEquals(
        List.of(
            "ram",
            "/rom@etc/acpi/tables",
            "pc.bios",
            "pc.rom",
            "/rom@etc/table-loader",
            "/rom@etc/acpi/rsdp"),
        blocks.names());
    // A device section follows; each block lost eight bytes before it.
    int end = blocks.bytes().length + 8 * blocks.names().size();
    assertEquals(4, stream[end]);
    byte[] tail =
        Arrays.copyOfRange(blocks.bytes(), blocks.bytes().length - 5000, blocks.bytes().length);
    assertTrue(Arrays.equals(tail, Arrays.copyOfRange(stream, end - 5000, end)));
    // Header, section start (1 + 4 + 1 + 3 + 8), total, then the first block's entry without
    // address.
    ByteBuffer in = ByteBuffer.wrap(blocks.bytes(), 8 + 17 + 8, 100);
    assertEquals(3, in.get());
    in.position(in.position() + 3);
    assertEquals(256L << 20, in.getLong());
    assertEquals("/rom@etc/acpi/tables".length(), in.get());
  }

  /**
   * Tests a stream of QEMU 10: pages of main memory between others, and a command before devices.
   */
  @Test
  void dropsMainMemoryAndCommands() throws Exception {
    RamBlocks blocks = RamBlocks.parse(made(true));
    assertEquals(List.of("ram", "x"), blocks.names());
    assertTrue(Arrays.equals(made(false), blocks.bytes()));
  }

  /** Returns the stream as QEMU sends it, or as it should be kept. */
  private static byte[] made(boolean sent) {
    ByteBuffer b = ByteBuffer.allocate(40_000);
    b.put(new byte[] {'Q', 'E', 'V', 'M', 0, 0, 0, 3, 1, 0, 0, 0, 2, 3, 'r', 'a', 'm'});
    b.putInt(0).putInt(4);
    b.putLong(0x3000 | 4);
    b.put((byte) 3).put(new byte[] {'r', 'a', 'm'}).putLong(0x2000);
    if (sent) {
      b.putLong(0);
    }
    b.put((byte) 1).put((byte) 'x').putLong(0x1000);
    if (sent) {
      b.putLong(0xf0000);
      b.putLong(2).put((byte) 3).put(new byte[] {'r', 'a', 'm'}).put((byte) 0);
      b.putLong(0x1000 | 8 | 0x20).put(new byte[4096]);
    }
    b.putLong(8).put((byte) 1).put((byte) 'x').put(new byte[4096]);
    if (sent) {
      b.putLong(0x1000 | 2).put((byte) 3).put(new byte[] {'r', 'a', 'm'}).put((byte) 0);
    }
    b.putLong(0x10);
    b.put((byte) 0x7e).putInt(2);
    if (sent) {
      b.put((byte) 8).putShort((short) 11).putShort((short) 3).put(new byte[3]);
      b.put((byte) 4);
    }
    return Arrays.copyOf(b.array(), b.position());
  }

  @Test
  void refusesWhatIsNotACompleteStream() throws Exception {
    byte[] stream = real();
    for (int length : new int[] {0, 4, 8, 20, 40, 300, 100_000}) {
      byte[] cut = Arrays.copyOf(stream, length);
      assertThrows(RamBlocks.FormatException.class, () -> RamBlocks.parse(cut), "at " + length);
    }
    byte[] odd = stream.clone();
    odd[8] = 9;
    assertThrows(RamBlocks.FormatException.class, () -> RamBlocks.parse(odd));
  }
}
