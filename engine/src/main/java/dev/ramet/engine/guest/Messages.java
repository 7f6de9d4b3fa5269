// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.files.JsonFile;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the messages of a Connect stream: one byte of flags, four bytes of length
 * (big-endian), then JSON. See "Streaming RPCs" of the Connect protocol reference. Used by one
 * thread.
 */
final class Messages {
  private static final int END = 2;
  private static final int COMPRESSED = 1;
  private static final int HEADER = 5;

  /** The agent sends output in far smaller pieces. */
  private static final int MOST_BYTES = 4 << 20;

  private final DataInputStream in;

  Messages(InputStream in) {
    this.in = new DataInputStream(in);
  }

  /** Returns the only message of a request. */
  static byte[] single(byte[] json) {
    return ByteBuffer.allocate(HEADER + json.length)
        .put((byte) 0)
        .putInt(json.length)
        .put(json)
        .array();
  }

  /**
   * A message of the stream.
   *
   * @param last whether it ends the stream
   */
  record Message(boolean last, JsonNode content) {}

  /**
   * Returns the next message, or null when the stream ends without a last one.
   *
   * @throws IOException also when the stream ends within a message or the data is not a valid
   *     message
   */
  @Nullable Message next() throws IOException {
    int flags = in.read();
    if (flags < 0) {
      return null;
    }
    int length = in.readInt();
    if (length < 0 || length > MOST_BYTES || (flags & COMPRESSED) != 0) {
      throw new IOException("the guest's agent sent no message of the Connect protocol");
    }
    byte[] json = in.readNBytes(length);
    if (json.length < length) {
      throw new EOFException("the stream ended within a message");
    }
    return new Message((flags & END) != 0, JsonFile.tree(new String(json, StandardCharsets.UTF_8)));
  }
}
