// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Reads a file or block device once, for its digest and for a sparse copy. Thread-safe. */
public final class ImageCopier {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int PAGE = 4096;
  private static final byte[] ZEROS = new byte[BUFFER_BYTES];

  private ImageCopier() {}

  /**
   * The result of reading.
   *
   * @param sha256 digest of everything, in lower-case hexadecimal
   * @param dataBytes how much of it was data: outside of holes, or written to the copy
   */
  public record Summary(String sha256, long dataBytes) {}

  /**
   * Reads a file, and copies it if a target is given.
   *
   * @param sizeBytes how much to read, from the start
   * @param target a file or block device of zeros to copy to, or null to read only
   * @param meter counts the bytes read, and those written
   * @throws RametException {@code CORRUPT} if the source is shorter
   */
  public static Summary read(Fd source, long sizeBytes, @Nullable Fd target, ProgressMeter meter)
      throws LinuxException {
    MessageDigest digest = sha256();
    long dataBytes = read(source, sizeBytes, target, meter, digest);
    return new Summary(HexFormat.of().formatHex(digest.digest()), dataBytes);
  }

  /** Copies like {@link #read} but without a digest, for callers that hash the result later. */
  public static void copy(Fd source, long sizeBytes, Fd target, ProgressMeter meter)
      throws LinuxException {
    read(source, sizeBytes, target, meter, null);
  }

  private static long read(
      Fd source,
      long sizeBytes,
      @Nullable Fd target,
      ProgressMeter meter,
      @Nullable MessageDigest digest)
      throws LinuxException {
    if (target != null && target.sizeBytes() < sizeBytes) {
      target.truncate(sizeBytes);
    }
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    byte[] bytes = new byte[BUFFER_BYTES];
    int passes = target == null ? 1 : 2;
    long dataBytes = 0;
    long at = 0;
    while (at < sizeBytes) {
      long data = data(source, at, sizeBytes);
      for (; at < data; at = Math.min(data, at + BUFFER_BYTES)) {
        int zeros = (int) Math.min(data - at, BUFFER_BYTES);
        if (digest != null) {
          digest.update(ZEROS, 0, zeros);
        }
        meter.add((long) passes * zeros);
      }
      long hole = hole(source, at, sizeBytes);
      while (at < hole) {
        buffer.clear().limit((int) Math.min(hole - at, BUFFER_BYTES));
        int length = source.pread(buffer, at);
        if (length == 0) {
          throw new RametException(
              ErrorCode.CORRUPT, source + " ends at byte " + at + " of " + sizeBytes);
        }
        buffer.flip().get(bytes, 0, length);
        if (digest != null) {
          digest.update(bytes, 0, length);
        }
        dataBytes += target == null ? length : write(target, buffer, bytes, length, at);
        at += length;
        meter.add((long) passes * length);
      }
    }
    return dataBytes;
  }

  /**
   * Writes the pages that are not all zeros, because not every file system reports its holes.
   * Returns how many bytes were written.
   */
  private static long write(Fd target, ByteBuffer buffer, byte[] bytes, int length, long at)
      throws LinuxException {
    long written = 0;
    int from = 0;
    while (from < length) {
      int to = runEnd(bytes, from, length);
      if (!isZeroPage(bytes, from, length)) {
        buffer.limit(to).position(from);
        target.pwrite(buffer, at + from);
        written += to - from;
      }
      from = to;
    }
    return written;
  }

  /**
   * Returns the end of the run of pages that are all zeros, or not, like the one at {@code from}.
   */
  static int runEnd(byte[] bytes, int from, int length) {
    boolean zeros = isZeroPage(bytes, from, length);
    int to = from;
    while (to < length && isZeroPage(bytes, to, length) == zeros) {
      to = Math.min(length, to + PAGE);
    }
    return to;
  }

  /** Returns whether the page at {@code from}, or the part of it that exists, is all zeros. */
  static boolean isZeroPage(byte[] bytes, int from, int length) {
    int to = Math.min(length, from + PAGE);
    return Arrays.equals(bytes, from, to, ZEROS, 0, to - from);
  }

  static long data(Fd source, long at, long end) throws LinuxException {
    try {
      long found = source.seekData(at);
      return found < 0 ? end : Math.min(found, end);
    } catch (LinuxException e) {
      // lseek(2): a device or file system without holes may refuse to search for data.
      if (e.errno() == LinuxException.EINVAL) {
        return at;
      }
      throw e;
    }
  }

  static long hole(Fd source, long at, long end) throws LinuxException {
    try {
      long found = source.seekHole(at);
      return found < 0 ? end : Math.min(found, end);
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.EINVAL) {
        return end;
      }
      throw e;
    }
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java platform must support it
    }
  }
}
