// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;

/** Refuses memory layouts that a capture could not represent completely. */
public final class Layout {
  private Layout() {}

  /**
   * Checks that the regions cover the image from its first byte to its last, in order, in whole
   * pages. A gap would be captured as "unchanged" although its content is unknown.
   *
   * @throws RametException {@code CORRUPT} naming the first place that is wrong
   */
  public static void check(GuestMemory memory) {
    long end = 0;
    for (MemoryRegion region : memory.regions()) {
      long bits = region.imageOffset() | region.address() | region.lengthBytes();
      if (bits < 0 || bits % NativeBuffer.PAGE_BYTES != 0 || region.lengthBytes() == 0) {
        throw corrupt(memory, "region is not made of whole pages: " + region);
      }
      if (region.imageOffset() != end) {
        String what = region.imageOffset() < end ? "overlaps the one before: " : "leaves a gap: ";
        throw corrupt(memory, "region " + what + region + ", expected at " + end);
      }
      end += region.lengthBytes();
    }
    if (end != memory.imageSizeBytes()) {
      throw corrupt(
          memory, "regions end at " + end + " of " + memory.imageSizeBytes() + " bytes of memory");
    }
  }

  private static RametException corrupt(GuestMemory memory, String problem) {
    return new RametException(
        ErrorCode.CORRUPT,
        "memory map of process " + memory.pid() + " cannot be captured: " + problem);
  }
}
