// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.wire;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the messages of a stream: one byte of flags, four of length (big endian), the
 * payload. See <a href="https://connectrpc.com/docs/protocol/#streaming-rpcs">Streaming RPCs</a> of
 * Connect.
 */
public final class Frames {
  private static final int END = 2;
  private static final int COMPRESSED = 1;
  private static final int HEADER_BYTES = 5;

  /** The agent sends output in far smaller pieces; a larger length means a corrupt stream. */
  private static final int MAX_BYTES = 4 << 20;

  private Frames() {}

  /**
   * A message of a stream.
   *
   * @param last whether it ends the stream
   * @param content its payload
   */
  public record Frame(boolean last, JsonNode content) {}

  /** Encodes the only message of a request. */
  public static byte[] single(byte[] payload) {
    return ByteBuffer.allocate(HEADER_BYTES + payload.length)
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
  public static @Nullable Frame read(DataInputStream in) throws IOException {
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
    return new Frame((flags & END) != 0, Json.tree(payload));
  }
}
