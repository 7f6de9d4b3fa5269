// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
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
 * <p>QEMU maps the image in one piece, but later may put anonymous memory over parts of it. The
 * file's mappings therefore say where the piece begins, and every mapping inside it is a region.
 */
final class GuestMaps {
  private GuestMaps() {}

  /** One line of the file. */
  private record Mapping(
      long start, long end, boolean shared, long offset, long inode, String path) {}

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

  static GuestMemory parse(long pid, String maps, String path, long sizeBytes) {
    List<Mapping> all = maps.lines().map(GuestMaps::mapping).toList();
    // A deleted image, or a memfd, has " (deleted)" behind its name.
    Mapping first =
        all.stream()
            .filter(m -> m.path().equals(path) || m.path().equals(path + " (deleted)"))
            .findFirst()
            .orElseThrow(() -> broken(pid, "no mapping of " + path));
    long base = first.start() - first.offset();
    long expected = base;
    List<MemoryRegion> regions = new ArrayList<>();
    for (Mapping m : all) {
      long start = Math.max(m.start(), base);
      long end = Math.min(m.end(), base + sizeBytes);
      if (start >= end) {
        continue;
      }
      if (start != expected) {
        throw broken(pid, "a gap in guest memory at offset " + (expected - base));
      }
      regions.add(new MemoryRegion(start - base, start, end - start, kind(m)));
      expected = end;
    }
    if (expected != base + sizeBytes) {
      throw broken(pid, "guest memory ends at offset " + (expected - base));
    }
    return new GuestMemory(pid, sizeBytes, regions);
  }

  private static MemoryRegion.Kind kind(Mapping m) {
    if (m.shared()) {
      return MemoryRegion.Kind.SHARED;
    }
    return m.inode() == 0 ? MemoryRegion.Kind.ANONYMOUS : MemoryRegion.Kind.PRIVATE_IMAGE;
  }

  private static Mapping mapping(String line) {
    // start-end perms offset device inode      path, which may contain blanks
    String[] f = line.split(" +", 6);
    int dash = f[0].indexOf('-');
    return new Mapping(
        Long.parseUnsignedLong(f[0].substring(0, dash), 16),
        Long.parseUnsignedLong(f[0].substring(dash + 1), 16),
        f[1].charAt(3) == 's',
        Long.parseUnsignedLong(f[2], 16),
        Long.parseLong(f[4]),
        f.length > 5 ? f[5] : "");
  }

  private static RametException broken(long pid, String what) {
    return new RametException(
        ErrorCode.HYPERVISOR_FAILED, "memory of process " + pid + ": " + what);
  }
}
