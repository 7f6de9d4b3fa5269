// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.monitor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Splits a monitor's output into lines. Used by one thread at a time. */
final class QmpReader {
  private static final int CHUNK_BYTES = 16 * 1024;

  /**
   * Far above any answer. It bounds the host memory that a guest in control of its QEMU can use up.
   */
  static final int MAX_LINE_BYTES = 16 << 20;

  /** Receives each line, without its line end. */
  @FunctionalInterface
  interface Lines {
    void line(byte[] bytes) throws IOException;
  }

  private final ReadableByteChannel channel;
  private final Lines lines;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
  private final ByteArrayOutputStream line = new ByteArrayOutputStream(1024);

  /** Reads from a non-blocking channel. */
  QmpReader(ReadableByteChannel channel, Lines lines) {
    this.channel = channel;
    this.lines = lines;
  }

  /**
   * Reads some available bytes and passes on the lines they complete. Returns the number of bytes
   * read; negative at the end.
   *
   * @throws IOException also when a line is too long, and then at every later call
   */
  int readSome() throws IOException {
    chunk.clear();
    int count = channel.read(chunk);
    chunk.flip();
    while (chunk.hasRemaining()) {
      byte b = chunk.get();
      if (b == '\n') {
        byte[] whole = line.toByteArray();
        line.reset();
        lines.line(whole);
      } else if (line.size() < MAX_LINE_BYTES) {
        line.write(b);
      } else {
        throw new IOException("a line of more than " + MAX_LINE_BYTES + " bytes");
      }
    }
    return count;
  }
}
