// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Writes a {@link Delta} sequentially and computes its digest. Used by one thread. */
final class DeltaWriter {
  private static final int PIECE_BYTES = 1 << 20;

  private final Fd image;
  private final long imageBytes;
  private final Fd target;
  private final MessageDigest digest = Content.sha256();
  private final ByteBuffer read = ByteBuffer.allocateDirect(PIECE_BYTES);
  private final byte[] piece = new byte[PIECE_BYTES];
  private final ByteBuffer out = ByteBuffer.allocateDirect(Delta.RECORD_BYTES + PIECE_BYTES);
  private long written;
  private long dataBytes;

  /**
   * Begins the file.
   *
   * @param image the image to be made from the base
   * @param target an empty file
   */
  DeltaWriter(Fd image, long imageBytes, long baseBytes, Fd target) throws LinuxException {
    this.image = image;
    this.imageBytes = imageBytes;
    this.target = target;
    out(Delta.MAGIC, baseBytes, imageBytes);
  }

  /** Adds pages that differ, in ascending order. Bytes after the end of the image are ignored. */
  void differs(long offset, long length) throws LinuxException {
    long end = Math.min(imageBytes, offset + length);
    for (long at = offset; at < end; ) {
      int n = (int) Math.min(PIECE_BYTES, end - at);
      read.clear().limit(n);
      if (image.pread(read, at) < n) {
        throw new RametException(ErrorCode.CORRUPT, image + " ends before byte " + (at + n));
      }
      read.flip().get(piece, 0, n);
      runs(at, n);
      at += n;
    }
  }

  private void runs(long at, int length) throws LinuxException {
    int from = 0;
    while (from < length) {
      int to = Content.runEnd(piece, from, length);
      if (Content.isZeroPage(piece, from, length)) {
        out(Delta.ZEROS, at + from, to - from);
      } else {
        out(Delta.DATA, at + from, to - from);
        if (out.remaining() < to - from) {
          flush();
        }
        out.put(piece, from, to - from);
        dataBytes += to - from;
      }
      from = to;
    }
  }

  private void out(long... record) throws LinuxException {
    if (out.remaining() < Delta.RECORD_BYTES) {
      flush();
    }
    for (long value : record) {
      out.putLong(value);
    }
  }

  private void flush() throws LinuxException {
    int length = out.flip().limit();
    digest.update(out.duplicate());
    target.pwrite(out, written);
    written += length;
    out.clear();
  }

  /** Finishes the file. Returns its digest and how much data of the image it holds. */
  Content.Summary finish() throws LinuxException {
    out(Delta.END, imageBytes, dataBytes);
    flush();
    return new Content.Summary(HexFormat.of().formatHex(digest.digest()), dataBytes);
  }

  /** Returns the file's length. */
  long writtenBytes() {
    return written;
  }
}
