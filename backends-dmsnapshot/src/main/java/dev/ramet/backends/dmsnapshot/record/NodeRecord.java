// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.record;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The record in the first block of a node's file, which says where the node's data is. It fits in
 * one sector, so that an update in place is atomic, and has a checksum in case a disk does not
 * ensure that.
 *
 * @param layer the top of the node's stack
 * @param device the number in the name of a volume's device
 */
public record NodeRecord(long layer, long device) {
  private static final int BYTES = 512;
  private static final Pattern TEXT =
      Pattern.compile("(layer=([0-9]{1,18})\ndevice=([0-9]{1,18})\n)sum=([0-9a-f]{8})\n");

  /** Reads the record; returns null if there is no valid one. */
  public static @Nullable NodeRecord read(Fd file) throws LinuxException {
    ByteBuffer block = ByteBuffer.allocateDirect(BYTES);
    file.pread(block, 0);
    byte[] bytes = new byte[block.flip().remaining()];
    block.get(bytes);
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] == 0) {
      end--;
    }
    Matcher matcher = TEXT.matcher(new String(bytes, 0, end, StandardCharsets.US_ASCII));
    if (!matcher.matches() || !matcher.group(4).equals(sum(matcher.group(1)))) {
      return null;
    }
    return new NodeRecord(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3)));
  }

  /** Writes the record. */
  public void write(Fd file) throws LinuxException {
    String text = "layer=" + layer + "\ndevice=" + device + "\n";
    byte[] bytes = (text + "sum=" + sum(text) + "\n").getBytes(StandardCharsets.US_ASCII);
    ByteBuffer block = ByteBuffer.allocateDirect(BYTES);
    file.pwrite(block.put(Arrays.copyOf(bytes, BYTES)).flip(), 0);
  }

  private static String sum(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.US_ASCII));
    return "%08x".formatted(crc.getValue());
  }
}
