// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file with what an image has otherwise than another one of about the same size, in whole pages.
 *
 * <p>All numbers are of eight bytes, the highest first. It begins with a mark, the size of the base
 * and that of the image. Records follow, in ascending order and without overlaps: a kind, an
 * offset, a length, and for {@link #DATA} as many bytes. The last one is {@link #END}, with the
 * image's size and the sum of the data's lengths. Nothing that is found in it is trusted. Used by
 * one thread.
 */
public final class Delta {
  /** "ramet-d" and the version of what follows. */
  static final long MAGIC = 0x72616d65742d6401L;

  static final long END = 0;
  static final long DATA = 1;
  static final long ZEROS = 2;
  static final int RECORD_BYTES = 3 * Long.BYTES;

  private static final int PAGE = 4096;
  private static final int PIECE_BYTES = 1 << 20;

  private final Path path;
  private final Fd file;
  private final long sizeBytes;
  private final Meter meter;
  private final ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
  private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
  private long at;

  /** What becomes of the base. */
  public interface Target {
    /** These bytes are here. */
    void data(ByteBuffer bytes, long offset);

    /** Here are zeros. */
    void zeros(long offset, long length);
  }

  /** Somebody who only wants to know whether it makes sense. */
  static final Target NOTHING =
      new Target() {
        @Override
        public void data(ByteBuffer bytes, long offset) {}

        @Override
        public void zeros(long offset, long length) {}
      };

  /**
   * A file that is to be read.
   *
   * @param path what to call it
   * @param meter told what was read
   */
  Delta(Path path, Fd file, long sizeBytes, Meter meter) {
    this.path = path;
    this.file = file;
    this.sizeBytes = sizeBytes;
    this.meter = meter;
  }

  /**
   * Goes through it, looking at each record before the target is told of it.
   *
   * @param baseBytes the size that the base must have
   * @param imageBytes that of the image
   * @return how much data is in it
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when it is not such a file
   */
  long read(long baseBytes, long imageBytes, Target target) throws LinuxException {
    at = 0;
    next();
    require(record.getLong() == MAGIC, "begins with no mark of one");
    require(record.getLong() == baseBytes, "is for a base of another size");
    require(record.getLong() == imageBytes, "is for an image of another size");
    long end = 0;
    long data = 0;
    while (true) {
      next();
      long kind = record.getLong();
      long offset = record.getLong();
      long length = record.getLong();
      if (kind == END) {
        require(offset == imageBytes && length == data, "has not what its end says");
        require(at == sizeBytes, "goes on after its end");
        return data;
      }
      require(kind == DATA || kind == ZEROS, "has a record of kind " + kind);
      require(offset >= end, "has a record that is not after the last one");
      require(offset < imageBytes, "has a record after the image's end");
      require(length > 0 && length <= imageBytes - offset, "has a record of " + length + " bytes");
      end = offset + length;
      require(offset % PAGE == 0, "has a record that begins within a page");
      require(length % PAGE == 0 || end == imageBytes, "has a record that ends within a page");
      if (kind == DATA) {
        data(offset, length, target);
        data += length;
      } else {
        target.zeros(offset, length);
      }
    }
  }

  private void next() throws LinuxException {
    record.clear();
    at += file.pread(record, at);
    require(!record.hasRemaining(), "ends too early");
    record.flip();
    meter.add(RECORD_BYTES);
  }

  private void data(long offset, long length, Target target) throws LinuxException {
    require(length <= sizeBytes - at, "ends too early");
    for (long done = 0; done < length; ) {
      int n = (int) Math.min(PIECE_BYTES, length - done);
      piece.clear().limit(n);
      at += file.pread(piece, at);
      require(!piece.hasRemaining(), "ends too early");
      target.data(piece.flip(), offset + done);
      done += n;
      meter.add(n);
    }
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw ExportFiles.invalid(path + " is not what an export writes: it " + otherwise);
    }
  }
}
