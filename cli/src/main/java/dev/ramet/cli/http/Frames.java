// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the messages of a Connect stream: one byte of flags, four of length (big
 * endian), then the payload. See "Streaming RPCs" of the Connect protocol reference.
 */
final class Frames {
  /** Flag of the last message. */
  static final int END = 2;

  private static final int COMPRESSED = 1;
  private static final int HEADER = 5;

  /** No agent sends larger messages; a larger length means that the stream is corrupt. */
  private static final int MAX = 64 << 20;

  private Frames() {}

  /** One message. */
  @SuppressWarnings("ArrayRecordComponent") // read once, never compared
  record Frame(int flags, byte[] payload) {}

  /** Encodes the only message of a request. */
  static byte[] single(byte[] payload) {
    return ByteBuffer.allocate(HEADER + payload.length)
        .put((byte) 0)
        .putInt(payload.length)
        .put(payload)
        .array();
  }

  /**
   * Reads the next message; returns null when the stream ends after a message.
   *
   * @throws EOFException if the stream ends within a message
   * @throws IOException if the data is not a message
   */
  static @Nullable Frame read(DataInputStream in) throws IOException {
    int flags = in.read();
    if (flags < 0) {
      return null;
    }
    int length = in.readInt();
    if (length < 0 || length > MAX || (flags & COMPRESSED) != 0) {
      throw new IOException("the stream is not in the Connect protocol");
    }
    byte[] payload = in.readNBytes(length);
    if (payload.length < length) {
      throw new EOFException("the stream ended within a message");
    }
    return new Frame(flags, payload);
  }
}
