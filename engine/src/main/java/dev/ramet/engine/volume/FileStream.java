// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Reads a file up to the length that it had when it was opened, because that is the length
 * announced to the reader. Not thread-safe.
 */
final class FileStream extends InputStream {
  private static final int BUFFER_BYTES = 128 << 10;

  private final Fd file;
  private final long sizeBytes;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
  private long offset;

  FileStream(Fd file, long sizeBytes) {
    this.file = file;
    this.sizeBytes = sizeBytes;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] target, int at, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!buffer.hasRemaining()) {
      if (offset == sizeBytes) {
        return -1;
      }
      readBuffer();
    }
    int n = Math.min(length, buffer.remaining());
    buffer.get(target, at, n);
    return n;
  }

  private void readBuffer() throws IOException {
    buffer.clear().limit((int) Math.min(BUFFER_BYTES, sizeBytes - offset));
    try {
      file.pread(buffer, offset);
    } catch (LinuxException e) {
      throw new IOException(e);
    }
    buffer.flip();
    if (!buffer.hasRemaining()) {
      throw new IOException("the file became shorter while it was read");
    }
    offset += buffer.remaining();
  }

  @Override
  public int available() {
    return buffer.remaining();
  }

  @Override
  public void close() {
    file.close();
  }
}
