// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses the first message of a TLS client (RFC 8446, 4.1.2) as strictly as servers do. Netty's
 * handlers accept messages that some servers refuse, and would read the name from them. One object
 * reads one message; used by one thread.
 */
final class ClientHello {
  /** The first byte of a TLS connection: a handshake record. */
  static final int RECORD = 22;

  /** The maximum number of bytes to read, including record headers. */
  static final int MAX_BYTES = 64 << 10;

  private static final int MAX_RECORD_BYTES = 1 << 14;
  private static final int MAX_MESSAGE_BYTES = 32 << 10;
  private static final int CLIENT_HELLO = 1;
  private static final int MESSAGE_HEADER_BYTES = 4;
  private static final int RECORD_HEADER_BYTES = 5;
  private static final int RANDOM_BYTES = 32;
  private static final int SERVER_NAME = 0; // RFC 6066, 3
  private static final int HOST_NAME = 0;

  private final ByteBuffer message = ByteBuffer.allocate(MAX_MESSAGE_BYTES);
  private int at;

  /**
   * Reads the records that have arrived since the last call, and leaves them in the buffer. The
   * reader index must not move between calls.
   *
   * @return whether the message is complete
   * @throws ProtocolException if it is not a ClientHello
   */
  boolean complete(ByteBuf in) throws IOException {
    while (in.readableBytes() - at >= RECORD_HEADER_BYTES) {
      int from = in.readerIndex() + at;
      int length = in.getUnsignedShort(from + 3);
      if (in.getByte(from) != RECORD
          || in.getByte(from + 1) != 3
          || length == 0
          || length > MAX_RECORD_BYTES) {
        throw invalid("not a handshake record");
      }
      int end = at + RECORD_HEADER_BYTES + length;
      if (length > message.remaining() || end > MAX_BYTES) {
        throw invalid("a ClientHello that is too long");
      }
      if (in.readableBytes() < end) {
        return false;
      }
      in.getBytes(from + RECORD_HEADER_BYTES, message.array(), message.position(), length);
      message.position(message.position() + length);
      at = end;
      if (messageEnds()) {
        return true;
      }
    }
    return false;
  }

  private boolean messageEnds() throws IOException {
    int have = message.position();
    if (have < MESSAGE_HEADER_BYTES) {
      return false;
    }
    int wanted = MESSAGE_HEADER_BYTES + (message.getInt(0) & 0xffffff);
    if (message.get(0) != CLIENT_HELLO || have > wanted) {
      throw invalid("not a ClientHello");
    }
    return have == wanted;
  }

  /**
   * Returns the server name in the complete message.
   *
   * @return the name as sent, or null if the client sent none
   * @throws ProtocolException if the message is malformed
   */
  @Nullable String serverName() throws IOException {
    int length = message.position() - MESSAGE_HEADER_BYTES;
    try {
      return parse(message.slice(MESSAGE_HEADER_BYTES, length));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw invalid("a truncated ClientHello");
    }
  }

  private static ProtocolException invalid(String what) {
    return new ProtocolException("not a TLS connection: " + what);
  }

  private static @Nullable String parse(ByteBuffer hello) throws IOException {
    if (hello.get() != 3) {
      throw invalid("invalid TLS version");
    }
    skip(hello, 1 + RANDOM_BYTES);
    skip(hello, hello.get() & 0xff); // the session
    skip(hello, hello.getShort() & 0xffff); // cipher suites
    skip(hello, hello.get() & 0xff); // ways of compression
    if (!hello.hasRemaining()) {
      return null;
    }
    ByteBuffer extensions = part(hello, hello.getShort() & 0xffff);
    if (hello.hasRemaining()) {
      throw invalid("data after the extensions");
    }
    Set<Integer> seen = new HashSet<>();
    String name = null;
    while (extensions.hasRemaining()) {
      int type = extensions.getShort() & 0xffff;
      ByteBuffer content = part(extensions, extensions.getShort() & 0xffff);
      if (!seen.add(type)) {
        throw invalid("a repeated extension");
      }
      if (type == SERVER_NAME) {
        name = name(content);
      }
    }
    return name;
  }

  private static String name(ByteBuffer content) throws IOException {
    ByteBuffer list = part(content, content.getShort() & 0xffff);
    if (list.get() != HOST_NAME) {
      throw invalid("a server name of an unknown type");
    }
    ByteBuffer name = part(list, list.getShort() & 0xffff);
    if (list.hasRemaining() || content.hasRemaining() || !name.hasRemaining()) {
      throw invalid("not exactly one server name");
    }
    return StandardCharsets.ISO_8859_1.decode(name).toString();
  }

  private static void skip(ByteBuffer buffer, int bytes) {
    buffer.position(buffer.position() + bytes);
  }

  private static ByteBuffer part(ByteBuffer buffer, int bytes) {
    if (bytes > buffer.remaining()) {
      throw new BufferUnderflowException();
    }
    ByteBuffer part = buffer.slice(buffer.position(), bytes);
    skip(buffer, bytes);
    return part;
  }
}
