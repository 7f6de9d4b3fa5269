// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Swap on a file, and a way to move another process's memory to it. Needs root and python3. */
final class HostSwap implements AutoCloseable {
  private static final int BYTES = 512 << 20;

  /**
   * Calls pidfd_open(2), then process_madvise(2) with {@code MADV_PAGEOUT}, on the mappings of a
   * file whose name ends in {@code .memory}.
   */
  private static final String MOVE_OUT =
      """
      import ctypes, sys
      libc = ctypes.CDLL(None, use_errno=True)
      class Range(ctypes.Structure):
          _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
      pidfd = libc.syscall(434, int(sys.argv[1]), 0)
      for line in open("/proc/%s/maps" % sys.argv[1]):
          if line.rstrip().endswith(".memory"):
              start, end = (int(x, 16) for x in line.split()[0].split("-"))
              while start < end:
                  r = Range(start, min(end - start, 2 << 20))
                  if libc.syscall(440, pidfd, ctypes.byref(r), 1, 21, 0) < 0:
                      sys.exit("process_madvise: errno %d" % ctypes.get_errno())
                  start += r.length
      """;

  private final Path file;

  private HostSwap(Path file) {
    this.file = file;
  }

  static HostSwap on(Path directory) throws IOException {
    Path file = directory.resolve("swap");
    byte[] piece = new byte[1 << 20];
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < BYTES / piece.length; i++) {
        out.write(piece);
      }
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    if (run("mkswap", file.toString()) != 0 || run("swapon", file.toString()) != 0) {
      Files.delete(file);
      String required = Objects.requireNonNullElse(System.getenv("RAMET_REQUIRE"), "");
      assertFalse(Arrays.asList(required.split(",", -1)).contains("swap"), "swapon " + file);
      assumeTrue(false, "needs root, and a file system that can be swapped to");
    }
    return new HostSwap(file);
  }

  /** Moves a machine's memory to swap; returns the bytes in swap afterwards. */
  long moveOut(long pid) throws IOException {
    assertEquals(0, run("python3", "-c", MOVE_OUT, Long.toString(pid)), "process_madvise");
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(line -> line.startsWith("VmSwap:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .sum();
  }

  private static int run(String... command) throws IOException {
    try {
      return new ProcessBuilder(List.of(command))
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start()
          .waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    if (run("swapoff", file.toString()) != 0) {
      throw new IOException("swapoff " + file + " failed");
    }
    Files.delete(file);
  }
}
