// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a stream: one byte of flags, four of length (big endian), the payload. See <a
 * href="https://connectrpc.com/docs/protocol/#streaming-rpcs">Streaming RPCs</a> of Connect.
 */
final class Frames {
  /** Set in the flags of the last message. */
  static final int END = 2;

  private static final int COMPRESSED = 1;
  private static final int HEADER_BYTES = 5;

  /** No agent sends more at once; more means that the stream is out of step. */
  private static final int MAX_BYTES = 64 << 20;

  private Frames() {}

  @SuppressWarnings("ArrayRecordComponent") // read once, never compared
  record Frame(int flags, byte[] payload) {}

  /** A request's only message. */
  static byte[] single(byte[] payload) {
    return ByteBuffer.allocate(HEADER_BYTES + payload.length)
        .put((byte) 0)
        .putInt(payload.length)
        .put(payload)
        .array();
  }

  /**
   * The next message, or null when the stream ends between two.
   *
   * @throws EOFException if it ends within one
   * @throws IOException if what comes is no message
   */
  static @Nullable Frame read(DataInputStream in) throws IOException {
    int flags = in.read();
    if (flags < 0) {
      return null;
    }
    int length = in.readInt();
    if (length < 0 || length > MAX_BYTES || (flags & COMPRESSED) != 0) {
      throw new IOException("the stream is not in the Connect protocol");
    }
    byte[] payload = in.readNBytes(length);
    if (payload.length < length) {
      throw new EOFException("the stream ended within a message");
    }
    return new Frame(flags, payload);
  }
}
