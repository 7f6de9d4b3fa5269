// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcessMemory;
import dev.ramet.spi.memory.PageRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Compares pages of a process with a memory image. */
public final class PageComparison {
  private static final int PIECE_BYTES = 64 << 10;

  private PageComparison() {}

  /**
   * Returns whether the pages equal the image at their offsets.
   *
   * @param pid the process whose address space the ranges refer to
   * @param image a file or block device
   * @throws RametException {@code HYPERVISOR_FAILED} when the process cannot be read, {@code
   *     HOST_UNFIT} when the image cannot be read
   */
  public static boolean equalImage(long pid, PageRanges ranges, Path image) {
    ByteBuffer there = ByteBuffer.allocateDirect(PIECE_BYTES);
    try (ProcessMemory process = new ProcessMemory(pid);
        NativeBuffer here = NativeBuffer.allocate(PIECE_BYTES);
        FileChannel file = FileChannel.open(image)) {
      ByteBuffer view = here.view(0, PIECE_BYTES);
      for (int i = 0; i < ranges.count(); i++) {
        for (long done = 0; done < ranges.lengthBytes(i); ) {
          int n = (int) Math.min(PIECE_BYTES, ranges.lengthBytes(i) - done);
          if (ranges.isZero(i)) {
            view.clear().put(new byte[n]);
          } else {
            process.add(ranges.address(i) + done, n);
            process.read(here, 0);
          }
          there.clear().limit(n);
          while (there.hasRemaining()
              && file.read(there, ranges.imageOffset(i) + done + there.position()) >= 0) {}
          if (there.hasRemaining() || !view.clear().limit(n).equals(there.flip())) {
            return false;
          }
          done += n;
        }
      }
      return true;
    } catch (LinuxException e) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED, "memory of process " + pid + " cannot be read", e);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "memory image " + image + " cannot be read", e);
    }
  }
}
