// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads and writes the format of a persistent copy-on-write store, as defined by the kernel's
 * dm-snap-persistent.c. Chunk 0 is a header. From chunk 1 on follow areas, each with one chunk of
 * table and then the chunks that its entries refer to. An entry maps a chunk of the device to a
 * chunk of the store; the first entry for chunk 0 of the store ends the table.
 *
 * <p>A chunk has 4 KiB, the least that the format allows on a page. The kernel stores a write of a
 * whole chunk directly; for a smaller one it reads the rest first. Guests and memory images hardly
 * ever write less than a chunk.
 */
public final class CowStore {
  /** The size of a chunk in bytes. */
  public static final int CHUNK_BYTES = 4096;

  /** The size of a chunk in sectors, as a device-mapper table needs it. */
  static final int CHUNK_SECTORS = 8;

  /** The largest device that a store is created for: 8 TiB. */
  static final long MAX_DEVICE_BYTES = 1L << 43;

  private static final int MAGIC = 0x70416e53;
  private static final int VALID = 4;
  private static final int HEADER_BYTES = 16;
  private static final int LINE_BYTES = 16;
  private static final int LINES = CHUNK_BYTES / LINE_BYTES;

  private CowStore() {}

  /**
   * Maps the chunks of a device to chunks of a store, in ascending order of the device's chunks.
   */
  static final class Table {
    private final long[] chunks;
    private final long[] places;

    private Table(long[] chunks, long[] places) {
      this.chunks = chunks;
      this.places = places;
    }

    int size() {
      return chunks.length;
    }

    /** Returns a chunk of the device. */
    long chunk(int line) {
      return chunks[line];
    }

    /** Returns the chunk of the store that holds it. */
    long storeChunk(int line) {
      return places[line];
    }
  }

  /**
   * Returns the file length in bytes at which a store has room for every chunk of a device, so that
   * it cannot overflow. The file is sparse.
   */
  public static long capacityBytes(long deviceBytes) {
    long chunks = (deviceBytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
    // One area more than needed: when an area is full, the kernel clears the table of the next one.
    return (1 + (chunks / LINES + 2) * (LINES + 1)) * CHUNK_BYTES;
  }

  /** Rounds a size in bytes up to whole chunks. */
  public static long wholeChunks(long bytes) {
    if (bytes > MAX_DEVICE_BYTES) {
      throw RametException.invalid("size", "must be at most 8 TiB");
    }
    return (bytes + CHUNK_BYTES - 1) & -CHUNK_BYTES;
  }

  /** Returns the chunk of the store that belongs to a table entry, if no chunk is skipped. */
  static long chunkIndex(long line) {
    return 2 + line + line / LINES;
  }

  /**
   * Returns the greatest length, at most the given one, at which a truncated store only overflows.
   * When the last entry of an area is used, the kernel clears the table of the next area. If that
   * lies beyond the end, the kernel invalidates the store, so the last area must never be usable to
   * its end.
   */
  public static long safeLength(long bytes) {
    long chunks = bytes / CHUNK_BYTES;
    return (chunks % (LINES + 1) == 1 && chunks > 1 ? chunks - 1 : chunks) * CHUNK_BYTES;
  }

  private static long tableOffset(long area) {
    return (1 + area * (LINES + 1)) * CHUNK_BYTES;
  }

  /**
   * Initializes a new file as an empty store. The kernel would initialize a file of zeros itself,
   * but not through a read-only device.
   */
  static void initialize(Fd file, long deviceBytes) throws LinuxException {
    file.truncate(capacityBytes(deviceBytes));
    ByteBuffer header = littleEndian(HEADER_BYTES);
    header.putInt(MAGIC).putInt(1).putInt(1).putInt(CHUNK_SECTORS);
    file.pwrite(header.flip(), 0);
  }

  /** Returns whether the kernel invalidated a store because it could not write to it. */
  static boolean isInvalidated(Fd file) throws LinuxException {
    ByteBuffer header = littleEndian(HEADER_BYTES);
    file.pread(header, 0);
    return header.position() == HEADER_BYTES
        && header.getInt(0) == MAGIC
        && header.getInt(VALID) != 1;
  }

  /**
   * Makes an invalidated store valid again. It holds all writes accepted before; the kernel never
   * acknowledged those it could not store.
   */
  static void revalidate(Fd file) throws LinuxException {
    ByteBuffer one = littleEndian(Integer.BYTES);
    file.pwrite(one.putInt(1).flip(), VALID);
    file.fdatasync();
  }

  /** Reads the table of a store that is not being written. */
  static Table read(Fd file) throws LinuxException {
    ByteBuffer area = littleEndian(CHUNK_BYTES);
    long[] lines = new long[2 * LINES];
    int count = 0;
    for (long number = 0; ; number++) {
      area.clear();
      if (file.pread(area, tableOffset(number)) < CHUNK_BYTES) {
        return sorted(lines, count);
      }
      for (int at = 0; at < CHUNK_BYTES; at += LINE_BYTES) {
        if (area.getLong(at + Long.BYTES) == 0) {
          return sorted(lines, count);
        }
        if (2 * count == lines.length) {
          lines = Arrays.copyOf(lines, 2 * lines.length);
        }
        lines[2 * count] = area.getLong(at);
        lines[2 * count + 1] = area.getLong(at + Long.BYTES);
        count++;
      }
    }
  }

  private static Table sorted(long[] lines, int count) {
    // Packs the numbers of a chunk and of its entry in one word: devices have less than 2^32
    // chunks.
    long[] order = new long[count];
    for (int i = 0; i < count; i++) {
      order[i] = lines[2 * i] << 31 | i;
    }
    Arrays.sort(order);
    long[] chunks = new long[count];
    long[] places = new long[count];
    for (int i = 0; i < count; i++) {
      chunks[i] = order[i] >> 31;
      places[i] = lines[2 * (int) (order[i] & Integer.MAX_VALUE) + 1];
    }
    return new Table(chunks, places);
  }

  /** Writes the table of a store whose chunks lie at the {@link #chunkIndex} of their entry. */
  static void writeTable(Fd file, long[] chunks) throws LinuxException {
    ByteBuffer area = littleEndian(CHUNK_BYTES);
    for (int start = 0; start < chunks.length; start += LINES) {
      area.clear();
      for (int line = start; line < Math.min(start + LINES, chunks.length); line++) {
        area.putLong(chunks[line]).putLong(chunkIndex(line));
      }
      while (area.hasRemaining()) {
        area.putLong(0);
      }
      file.pwrite(area.flip(), tableOffset(start / LINES));
    }
  }

  private static ByteBuffer littleEndian(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
