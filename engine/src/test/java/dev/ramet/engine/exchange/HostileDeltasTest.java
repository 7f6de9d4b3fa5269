// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static dev.ramet.engine.exchange.IncrementGround.DISK_BYTES;
import static dev.ramet.engine.exchange.IncrementGround.PAGE;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.ramet.errors.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that invalid delta files of an increment are refused. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileDeltasTest {
  private final IncrementGround ground;

  HostileDeltasTest(@TempDir Path root) throws Exception {
    ground = new IncrementGround(root);
  }

  private static byte[] longs(long... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Long.BYTES);
    for (long value : values) {
      bytes.putLong(value);
    }
    return bytes.array();
  }

  private static byte[] join(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(Stream.of(parts).mapToInt(part -> part.length).sum());
    Stream.of(parts).forEach(all::put);
    return all.array();
  }

  private static byte[] head() {
    return longs(DeltaReader.MAGIC, DISK_BYTES, DISK_BYTES);
  }

  private static byte[] data(long offset, int length) {
    return join(longs(DeltaReader.DATA, offset, length), new byte[length]);
  }

  private static byte[] zeros(long offset, long length) {
    return longs(DeltaReader.ZEROS, offset, length);
  }

  private static byte[] end(long dataBytes) {
    return longs(DeltaReader.END, DISK_BYTES, dataBytes);
  }

  static Stream<Arguments> hostile() {
    return Stream.of(
        bad("ends too early", new byte[1]),
        bad("ends too early", head()),
        bad(
            "does not begin with the mark",
            longs(DeltaReader.MAGIC + 1, DISK_BYTES, DISK_BYTES),
            end(0)),
        bad("a base of another size", longs(DeltaReader.MAGIC, 1, DISK_BYTES), end(0)),
        bad("an image of another size", longs(DeltaReader.MAGIC, DISK_BYTES, -1), end(0)),
        bad("a record of kind 7", head(), longs(7, 0, PAGE), end(0)),
        bad("a record of kind -1", head(), longs(-1, 0, PAGE), end(0)),
        bad("is not after the last one", head(), zeros(-PAGE, PAGE), end(0)),
        bad("is not after the last one", head(), zeros(Long.MIN_VALUE, PAGE), end(0)),
        bad("is not after the last one", head(), zeros(0, 2 * PAGE), data(PAGE, PAGE), end(PAGE)),
        bad("is not after the last one", head(), data(PAGE, PAGE), data(0, PAGE), end(2 * PAGE)),
        bad("after the image's end", head(), zeros(DISK_BYTES, PAGE), end(0)),
        bad("after the image's end", head(), zeros(Long.MAX_VALUE & -PAGE, PAGE), end(0)),
        bad("a record of 8192 bytes", head(), zeros(DISK_BYTES - PAGE, 2 * PAGE), end(0)),
        bad("a record of 9223372036854775807", head(), zeros(PAGE, Long.MAX_VALUE), end(0)),
        bad("a record of 0 bytes", head(), zeros(0, 0), end(0)),
        bad("a record of -4096 bytes", head(), zeros(PAGE, -PAGE), end(0)),
        bad("begins within a page", head(), zeros(1, PAGE), end(0)),
        bad("ends within a page", head(), zeros(0, 1), end(0)),
        bad("ends too early", head(), longs(DeltaReader.DATA, 0, PAGE), end(PAGE)),
        bad("ends too early", head(), data(0, PAGE)),
        bad("does not hold what its end says", head(), data(0, PAGE), end(0)),
        bad("does not hold what its end says", head(), longs(DeltaReader.END, 0, 0)),
        bad("goes on after its end", head(), end(0), new byte[1]),
        bad("goes on after its end", head(), end(0), end(0)));
  }

  private static Arguments bad(String what, byte[]... parts) {
    return Arguments.of(what, join(parts));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void whatMakesNoSenseIsRefusedBeforeAnythingIsWritten(String part, byte[] delta)
      throws Exception {
    IncrementCopy copy = ground.copy();
    copy.replace(delta);
    copy.refused(ErrorCode.INVALID_ARGUMENT, part);
    assertFalse(Files.exists(copy.target()));
  }

  @Test
  void whatIsCutOffOrDamagedIsNamed() throws Exception {
    IncrementCopy copy = ground.copy();
    Path file = copy.directory().resolve("disk.delta");
    byte[] good = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(good, good.length - 1));
    copy.refused(ErrorCode.CORRUPT, file + " has " + (good.length - 1) + " bytes");
    for (int at = 0; at < good.length; at += 1001) {
      byte[] bad = good.clone();
      bad[at] ^= 1;
      Files.write(file, bad);
      copy.refused(ErrorCode.CORRUPT, file + " is damaged");
    }
    Files.delete(file);
    copy.refused(ErrorCode.CORRUPT, file + " is missing");
    assertFalse(Files.exists(copy.target()));
  }
}
