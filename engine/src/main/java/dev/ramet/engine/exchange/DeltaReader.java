// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Reads a delta file: the differences of an image from a base of about the same size, in whole
 * pages.
 *
 * <p>All numbers are eight bytes, big-endian. The file begins with a magic number, the size of the
 * base and the size of the image. Records follow in ascending order without overlaps: kind, offset,
 * length, and for {@link #DATA} that many bytes. The last record is {@link #END}, with the image's
 * size and the sum of the data's lengths. The file is not trusted. Used by one thread.
 */
public final class DeltaReader {
  /** "ramet-d" and the version of the format. */
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
  private final ProgressMeter meter;
  private final ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
  private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
  private long at;

  /** Receives the differences from the base. */
  public interface Sink {
    /** Receives data at an offset. */
    void data(ByteBuffer bytes, long offset);

    /** Receives a range of zeros. */
    void zeros(long offset, long length);
  }

  /** Ignores everything, for callers that only check the file. */
  static final Sink NOTHING =
      new Sink() {
        @Override
        public void data(ByteBuffer bytes, long offset) {}

        @Override
        public void zeros(long offset, long length) {}
      };

  /**
   * Creates a reader of a file.
   *
   * @param path the file's name for messages
   * @param meter counts the bytes read
   */
  DeltaReader(Path path, Fd file, long sizeBytes, ProgressMeter meter) {
    this.path = path;
    this.file = file;
    this.sizeBytes = sizeBytes;
    this.meter = meter;
  }

  /**
   * Reads the file, checking each record before it is passed to the target.
   *
   * @param baseBytes the required size of the base
   * @param imageBytes the required size of the image
   * @return how many bytes of data it holds
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} if it is not a valid delta of
   *     these sizes
   */
  long read(long baseBytes, long imageBytes, Sink target) throws LinuxException {
    at = 0;
    readRecord();
    require(record.getLong() == MAGIC, "does not begin with the mark of a delta");
    require(record.getLong() == baseBytes, "is for a base of another size");
    require(record.getLong() == imageBytes, "is for an image of another size");
    long end = 0;
    long data = 0;
    while (true) {
      readRecord();
      long kind = record.getLong();
      long offset = record.getLong();
      long length = record.getLong();
      if (kind == END) {
        require(offset == imageBytes && length == data, "does not hold what its end says");
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
        readData(offset, length, target);
        data += length;
      } else {
        target.zeros(offset, length);
      }
    }
  }

  private void readRecord() throws LinuxException {
    record.clear();
    at += file.pread(record, at);
    require(!record.hasRemaining(), "ends too early");
    record.flip();
    meter.add(RECORD_BYTES);
  }

  private void readData(long offset, long length, Sink target) throws LinuxException {
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
      throw ExportFiles.invalid(path + " is not a valid delta: it " + otherwise);
    }
  }
}
