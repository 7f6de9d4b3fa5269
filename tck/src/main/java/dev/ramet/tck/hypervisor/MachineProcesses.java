// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Inspects machines that are processes of this host from outside (proc(5)). */
final class MachineProcesses {
  private static final int BLOCK_BYTES = 1 << 16;

  private MachineProcesses() {}

  static void copyMemory(GuestMemory memory, Path image) throws IOException {
    Path source = Path.of("/proc", Long.toString(memory.pid()), "mem");
    byte[] block = new byte[BLOCK_BYTES];
    byte[] zeros = new byte[BLOCK_BYTES];
    try (RandomAccessFile in = new RandomAccessFile(source.toFile(), "r");
        RandomAccessFile out = new RandomAccessFile(image.toFile(), "rw")) {
      out.setLength(memory.imageSizeBytes());
      for (MemoryRegion region : memory.regions()) {
        for (long done = 0; done < region.lengthBytes(); done += BLOCK_BYTES) {
          int length = (int) Math.min(BLOCK_BYTES, region.lengthBytes() - done);
          in.seek(region.address() + done);
          in.readFully(block, 0, length);
          if (!Arrays.equals(block, 0, length, zeros, 0, length)) {
            out.seek(region.imageOffset() + done);
            out.write(block, 0, length);
          }
        }
      }
    }
  }

  /** Returns the running processes whose command line names the directory. */
  static Set<Long> below(Path directory) throws IOException {
    Set<Long> found = new TreeSet<>();
    String mark = directory.toRealPath().toString();
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      all.map(ProcessHandle::pid)
          .filter(pid -> pid != ProcessHandle.current().pid())
          .filter(pid -> mentions(commandLine(pid), mark))
          .forEach(found::add);
    }
    return found;
  }

  /**
   * Returns whether a command line names the directory or a path in it; a directory with the same
   * prefix does not count.
   */
  private static boolean mentions(String commandLine, String directory) {
    return commandLine.contains(directory + "/") || commandLine.contains(directory + "\0");
  }

  /** Returns an empty text for a process that is gone or is a zombie. */
  private static String commandLine(long pid) {
    try {
      byte[] all = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline"));
      return new String(all, StandardCharsets.UTF_8);
    } catch (IOException gone) {
      return "";
    }
  }
}
