// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.file.Fd;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogLimitsTest {
  @TempDir Path directory;

  @Test
  void cutsWhatHasGrownAndLetsItsWriterGoOn() throws Exception {
    Path console = directory.resolve("console.log");
    Path small = directory.resolve("vmm.log");
    Path disk = directory.resolve("disk.raw");
    byte[] much = new byte[3 << 20];
    Arrays.fill(much, (byte) 'x');
    Files.write(disk, much);
    Files.writeString(small, "little");
    try (OutputStream writer = Files.newOutputStream(console)) {
      writer.write(much);
      LogLimits.limitLog(directory);
      assertTrue(dataStart(console) >= much.length - LogLimits.MAX_BYTES, "not cut");
      assertEquals('x', tail(console, (int) LogLimits.KEPT_BYTES).charAt(0));
      writer.write("the end".getBytes(StandardCharsets.UTF_8));
      LogLimits.limitLog(directory);
    }
    assertEquals("the end", tail(console, 7));
    assertEquals(much.length + 7, Files.size(console));
    assertEquals("little", Files.readString(small));
    assertEquals(0, dataStart(disk), "only logs are cut");
    LogLimits.limitLog(directory.resolve("nothing"));
  }

  private static long dataStart(Path file) throws Exception {
    try (Fd fd = Fd.openRead(file)) {
      return fd.seekData(0);
    }
  }

  private static String tail(Path file, int bytes) throws Exception {
    byte[] all = Files.readAllBytes(file);
    return new String(all, all.length - bytes, bytes, StandardCharsets.UTF_8);
  }
}
