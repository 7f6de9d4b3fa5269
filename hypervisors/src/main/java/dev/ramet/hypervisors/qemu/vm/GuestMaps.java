// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds guest memory in a process's address space (proc(5), {@code /proc/pid/maps}).
 *
 * <p>QEMU maps the image in one piece but may later put anonymous memory over parts of it. The
 * file's mappings therefore give the start of the piece, and every mapping inside it is a region.
 */
final class GuestMaps {
  /**
   * Always false: the command line never has the devices for which QEMU discards pages, which are
   * balloon, free-page reporting and memory devices (softmmu/physmem.c, callers of {@code
   * ram_block_discard_range}).
   */
  private static final boolean DISCARDS = false;

  private GuestMaps() {}

  /**
   * Reads the mappings.
   *
   * @param path the file that holds guest memory, as the kernel shows it
   */
  static GuestMemory read(long pid, String path, long sizeBytes) {
    try {
      return parse(
          pid,
          Files.readString(
              Path.of("/proc", Long.toString(pid), "maps"), StandardCharsets.ISO_8859_1),
          new String(path.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1),
          sizeBytes);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED, "cannot read the mappings of process " + pid, e);
    }
  }

  /**
   * Parses the file. This runs while the machine is paused, so for most of the hundreds of lines it
   * parses only the addresses.
   */
  static GuestMemory parse(long pid, String maps, String path, long sizeBytes) {
    long base = base(pid, maps, path);
    long end = base + sizeBytes;
    long expected = base;
    List<MemoryRegion> regions = new ArrayList<>();
    for (int line = 0; line < maps.length(); line = lineEnd(maps, line) + 1) {
      int dash = maps.indexOf('-', line);
      int blank = maps.indexOf(' ', dash);
      long from = Math.max(hex(maps, line, dash), base);
      long to = Math.min(hex(maps, dash + 1, blank), end);
      if (from >= to) {
        continue;
      }
      if (from != expected) {
        throw unreadableMaps(pid, "a gap in guest memory at offset " + (expected - base));
      }
      regions.add(
          new MemoryRegion(
              from - base, from, to - from, kind(maps.substring(line, lineEnd(maps, line)))));
      expected = to;
    }
    if (expected != end) {
      throw unreadableMaps(pid, "guest memory ends at offset " + (expected - base));
    }
    return new GuestMemory(pid, sizeBytes, regions, DISCARDS);
  }

  /** Returns the address at which the first byte of the image is mapped, or would be. */
  private static long base(long pid, String maps, String path) {
    for (int at = maps.indexOf(path); at >= 0; at = maps.indexOf(path, at + 1)) {
      String rest = maps.substring(at + path.length(), lineEnd(maps, at));
      // A deleted image, or a memfd, has " (deleted)" after its name.
      if (maps.charAt(at - 1) == ' ' && (rest.isEmpty() || rest.equals(" (deleted)"))) {
        int line = maps.lastIndexOf('\n', at) + 1;
        String[] fields = maps.substring(line, at).split(" +", 4);
        return hex(maps, line, maps.indexOf('-', line)) - Long.parseUnsignedLong(fields[2], 16);
      }
    }
    throw unreadableMaps(pid, "no mapping of " + path);
  }

  /** Returns the kind of a mapping. Its line is: start-end perms offset device inode path. */
  private static MemoryRegion.Kind kind(String line) {
    String[] fields = line.split(" +", 6);
    if (fields[1].charAt(3) == 's') {
      return MemoryRegion.Kind.SHARED;
    }
    return Long.parseLong(fields[4]) == 0
        ? MemoryRegion.Kind.ANONYMOUS
        : MemoryRegion.Kind.PRIVATE_IMAGE;
  }

  private static int lineEnd(String maps, int at) {
    int end = maps.indexOf('\n', at);
    return end < 0 ? maps.length() : end;
  }

  private static long hex(String text, int from, int to) {
    return Long.parseUnsignedLong(text, from, to, 16);
  }

  private static RametException unreadableMaps(long pid, String what) {
    return new RametException(
        ErrorCode.HYPERVISOR_FAILED, "memory of process " + pid + ": " + what);
  }
}
