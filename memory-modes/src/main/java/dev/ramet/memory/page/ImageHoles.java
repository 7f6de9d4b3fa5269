// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.process.MappedFile;
import dev.ramet.linux.process.ProcMaps;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Knows where the images that a process has mapped privately have holes. A page there that is not a
 * private copy is zero and need not be read; to read it, the kernel would first allocate a page of
 * zeros in the file's cache and keep it. lseek(2) promises that a hole reads as zeros, but not that
 * all zeros are reported as holes: pages not known to be in a hole are treated as data. Images do
 * not change while they are mapped, so the holes stay valid. Immutable.
 */
public final class ImageHoles {
  private static final System.Logger LOG = System.getLogger(ImageHoles.class.getName());

  /** Querying the pages of a smaller hole takes about as long as reading them. */
  private static final long MIN_BYTES = 64 << 10;

  private final Map<MemoryRegion, List<MemoryRegion>> known;

  private ImageHoles(Map<MemoryRegion, List<MemoryRegion>> known) {
    this.known = known;
  }

  /** Looks; it takes time in the number of pieces that the images lie in. Never fails. */
  public static ImageHoles find(GuestMemory memory) {
    Map<MemoryRegion, List<MemoryRegion>> known = new HashMap<>();
    try {
      List<ProcMaps.Mapping> mappings = ProcMaps.read(memory.pid());
      for (MemoryRegion region : memory.regions()) {
        if (region.kind() == MemoryRegion.Kind.PRIVATE_IMAGE) {
          List<MemoryRegion> holes = new ArrayList<>();
          for (ProcMaps.Mapping mapping : mappings) {
            findHoles(memory.pid(), mapping, region, holes);
          }
          known.put(region, holes);
        }
      }
    } catch (LinuxException e) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "cannot find the holes of images, whose pages all count as data: {0}",
          e.getMessage());
      known.clear();
    }
    return new ImageHoles(known);
  }

  private static void findHoles(
      long pid, ProcMaps.Mapping mapping, MemoryRegion region, List<MemoryRegion> into)
      throws LinuxException {
    long from = Math.max(mapping.start(), region.address());
    long to = Math.min(mapping.end(), region.address() + region.lengthBytes());
    if (from >= to || mapping.inode() == 0 || mapping.isShared()) {
      return;
    }
    try (Fd file = MappedFile.open(pid, mapping)) {
      if (!file.stat().isRegularFile()) {
        return;
      }
      long shift = mapping.start() - mapping.offset();
      // Pages mapped beyond the file's end cannot be read at all.
      long end = Math.min(to - shift, pageBefore(file.sizeBytes()));
      long at = from - shift;
      while (at >= 0 && at < end) {
        long data = file.seekData(at);
        long start = pageBefore(at + NativeBuffer.PAGE_BYTES - 1);
        long length = (data < 0 ? end : Math.min(pageBefore(data), end)) - start;
        if (length >= MIN_BYTES) {
          long address = start + shift;
          long offset = region.imageOffset() + address - region.address();
          into.add(new MemoryRegion(offset, address, length, region.kind()));
        }
        at = data < 0 ? end : file.seekHole(data);
      }
    }
  }

  private static long pageBefore(long offset) {
    return offset - offset % NativeBuffer.PAGE_BYTES;
  }

  /**
   * Returns the holes of one region, by ascending address.
   *
   * @param region the region as it is mapped now; one that was mapped differently before has no
   *     known holes
   */
  public List<MemoryRegion> in(MemoryRegion region) {
    return known.getOrDefault(region, List.of());
  }
}
