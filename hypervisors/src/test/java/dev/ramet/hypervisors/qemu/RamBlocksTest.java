// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

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

class RamBlocksTest {
  /** What QEMU 7.2 sent for a pc machine with 256 MiB, before its first instruction. */
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
