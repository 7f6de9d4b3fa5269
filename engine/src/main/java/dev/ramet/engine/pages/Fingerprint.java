// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcessMemory;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Checksums of all pages of a paused machine's memory, used to verify the image that a capture
 * composed of a baseline and the changed pages. Takes four bytes per page. Used by one thread at a
 * time.
 */
public final class Fingerprint implements AutoCloseable {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int PIECE_BYTES = 1 << 20;

  private final int[] sums;
  private final NativeBuffer piece;
  private final ByteBuffer view;
  private final CRC32C crc = new CRC32C();
  private GuestMemory taken = new GuestMemory(0, 0, java.util.List.of());

  /**
   * Allocates room for a machine's checksums.
   *
   * @param imageBytes the size of its memory image
   * @throws RametException {@code HOST_UNFIT} when there is not enough memory
   */
  public Fingerprint(long imageBytes) {
    this.sums = new int[Math.toIntExact(imageBytes / PAGE)];
    try {
      this.piece = NativeBuffer.allocate(PIECE_BYTES);
    } catch (LinuxException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "no memory to verify a capture with", e);
    }
    this.view = piece.view(0, PIECE_BYTES);
  }

  /**
   * Reads all of the memory and computes its checksums.
   *
   * @param memory the layout of the memory; the machine is paused
   * @throws RametException {@code HYPERVISOR_FAILED} when it cannot be read
   */
  public void compute(GuestMemory memory) {
    try (ProcessMemory process = new ProcessMemory(memory.pid())) {
      for (MemoryRegion region : memory.regions()) {
        for (long done = 0; done < region.lengthBytes(); done += PIECE_BYTES) {
          int n = (int) Math.min(PIECE_BYTES, region.lengthBytes() - done);
          process.add(region.address() + done, n);
          process.read(piece, 0);
          int page = (int) ((region.imageOffset() + done) / PAGE);
          for (int at = 0; at < n; at += PAGE) {
            sums[page++] = checksum(view, at);
          }
        }
      }
    } catch (LinuxException e) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED,
          "memory of hypervisor process " + memory.pid() + " cannot be read",
          e);
    }
    taken = memory;
  }

  /**
   * Compares an image with the checksums.
   *
   * @throws RametException {@code CORRUPT} naming the first page that differs, {@code HOST_UNFIT}
   *     when the image cannot be read
   */
  public void compare(Path image) {
    try (FileChannel file = FileChannel.open(image)) {
      for (MemoryRegion region : taken.regions()) {
        long end = region.imageOffset() + region.lengthBytes();
        for (long at = region.imageOffset(); at < end; at += PIECE_BYTES) {
          compare(file, at, (int) Math.min(PIECE_BYTES, end - at), image);
        }
      }
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, image + " cannot be read", e);
    }
  }

  private void compare(FileChannel file, long offset, int bytes, Path image) throws IOException {
    view.clear().limit(bytes);
    while (view.hasRemaining()) {
      if (file.read(view, offset + view.position()) < 0) {
        throw new RametException(ErrorCode.CORRUPT, image + " is shorter than the memory");
      }
    }
    for (int at = 0; at < bytes; at += PAGE) {
      int page = (int) ((offset + at) / PAGE);
      if (checksum(view, at) != sums[page]) {
        throw new RametException(
            ErrorCode.CORRUPT,
            "the captured memory differs from the machine's, first in page "
                + page
                + " (at byte "
                + (offset + at)
                + " of "
                + image
                + ")",
            "force memory mode full, and report this with the snapshot's host and kernel version",
            null);
      }
    }
  }

  private int checksum(ByteBuffer from, int at) {
    crc.reset();
    crc.update(from.limit(at + PAGE).position(at));
    return (int) crc.getValue();
  }

  /** Frees its memory. Idempotent. */
  @Override
  public void close() {
    piece.close();
  }
}
