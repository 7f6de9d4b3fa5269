// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Writes a {@link DeltaReader} sequentially and computes its digest. Used by one thread. */
final class DeltaWriter {
  private static final int PIECE_BYTES = 1 << 20;

  private final Fd image;
  private final long imageBytes;
  private final Fd target;
  private final MessageDigest digest = ImageCopier.sha256();
  private final ByteBuffer read = ByteBuffer.allocateDirect(PIECE_BYTES);
  private final byte[] piece = new byte[PIECE_BYTES];
  private final ByteBuffer out = ByteBuffer.allocateDirect(DeltaReader.RECORD_BYTES + PIECE_BYTES);
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
    writeRecord(DeltaReader.MAGIC, baseBytes, imageBytes);
  }

  /** Adds pages that differ, in ascending order. Bytes after the end of the image are ignored. */
  void addRange(long offset, long length) throws LinuxException {
    long end = Math.min(imageBytes, offset + length);
    for (long at = offset; at < end; ) {
      int n = (int) Math.min(PIECE_BYTES, end - at);
      read.clear().limit(n);
      if (image.pread(read, at) < n) {
        throw new RametException(ErrorCode.CORRUPT, image + " ends before byte " + (at + n));
      }
      read.flip().get(piece, 0, n);
      writeRuns(at, n);
      at += n;
    }
  }

  private void writeRuns(long at, int length) throws LinuxException {
    int from = 0;
    while (from < length) {
      int to = ImageCopier.runEnd(piece, from, length);
      if (ImageCopier.isZeroPage(piece, from, length)) {
        writeRecord(DeltaReader.ZEROS, at + from, to - from);
      } else {
        writeRecord(DeltaReader.DATA, at + from, to - from);
        if (out.remaining() < to - from) {
          flush();
        }
        out.put(piece, from, to - from);
        dataBytes += to - from;
      }
      from = to;
    }
  }

  private void writeRecord(long... record) throws LinuxException {
    if (out.remaining() < DeltaReader.RECORD_BYTES) {
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
  ImageCopier.Summary finish() throws LinuxException {
    writeRecord(DeltaReader.END, imageBytes, dataBytes);
    flush();
    return new ImageCopier.Summary(HexFormat.of().formatHex(digest.digest()), dataBytes);
  }

  /** Returns the file's length. */
  long writtenBytes() {
    return written;
  }
}
