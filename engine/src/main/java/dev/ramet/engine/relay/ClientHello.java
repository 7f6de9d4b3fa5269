// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The first message of a client of TLS (RFC 8446, 4.1.2), read as strictly as servers do. */
final class ClientHello {
  /** The first byte of a connection of TLS: a record of a handshake. */
  static final int RECORD = 22;

  /** No more bytes are read, in records with their headers. */
  static final int MOST_BYTES = 64 << 10;

  private static final int MOST_RECORD_BYTES = 1 << 14;
  private static final int MOST_MESSAGE_BYTES = 32 << 10;
  private static final int CLIENT_HELLO = 1;
  private static final int MESSAGE_HEADER_BYTES = 4;
  private static final int RANDOM_BYTES = 32;
  private static final int SERVER_NAME = 0; // RFC 6066, 3
  private static final int HOST_NAME = 0;

  private ClientHello() {}

  /**
   * Reads the message, over as many records as it takes, and answers the name of the server.
   *
   * @return as it was sent, or null when the client names none
   * @throws ProtocolException when it is none
   */
  static @Nullable String serverName(InputStream in) throws IOException {
    byte[] message = message(in);
    try {
      return parse(ByteBuffer.wrap(message));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw odd("a ClientHello that ends too early");
    }
  }

  private static ProtocolException odd(String what) {
    return new ProtocolException("no connection of TLS: " + what);
  }

  private static byte[] message(InputStream in) throws IOException {
    ByteBuffer message = ByteBuffer.allocate(MOST_MESSAGE_BYTES);
    int records = MOST_BYTES;
    while (true) {
      byte[] header = exactly(in, 5);
      int length = (header[3] & 0xff) << 8 | (header[4] & 0xff);
      if (header[0] != RECORD || header[1] != 3 || length == 0 || length > MOST_RECORD_BYTES) {
        throw odd("no record of a handshake");
      }
      records -= header.length + length;
      if (length > message.remaining() || records < 0) {
        throw odd("a ClientHello that is too long");
      }
      message.put(exactly(in, length));
      int have = message.position();
      if (have >= MESSAGE_HEADER_BYTES) {
        int wanted = MESSAGE_HEADER_BYTES + (message.getInt(0) & 0xffffff);
        if (message.get(0) != CLIENT_HELLO || have > wanted) {
          throw odd("something else than a ClientHello");
        }
        if (have == wanted) {
          byte[] body = new byte[wanted - MESSAGE_HEADER_BYTES];
          message.get(MESSAGE_HEADER_BYTES, body);
          return body;
        }
      }
    }
  }

  private static byte[] exactly(InputStream in, int bytes) throws IOException {
    byte[] read = in.readNBytes(bytes);
    if (read.length < bytes) {
      throw new EOFException("it ended within a ClientHello");
    }
    return read;
  }

  private static @Nullable String parse(ByteBuffer hello) throws IOException {
    if (hello.get() != 3) {
      throw odd("a version that is none");
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
      throw odd("something after its extensions");
    }
    Set<Integer> seen = new HashSet<>();
    String name = null;
    while (extensions.hasRemaining()) {
      int type = extensions.getShort() & 0xffff;
      ByteBuffer content = part(extensions, extensions.getShort() & 0xffff);
      if (!seen.add(type)) {
        throw odd("an extension that comes twice");
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
      throw odd("a server that is named by something else than its name");
    }
    ByteBuffer name = part(list, list.getShort() & 0xffff);
    if (list.hasRemaining() || content.hasRemaining() || !name.hasRemaining()) {
      throw odd("not one name of a server");
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
