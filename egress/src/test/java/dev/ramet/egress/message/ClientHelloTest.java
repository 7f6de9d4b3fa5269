// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first message of TLS, made by hand: whole, in pieces, and wrong in one place. */
final class ClientHelloTest {
  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  /** With its length before it, in so many bytes. */
  private static byte[] sized(int bytes, byte[] content) {
    byte[] size = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      size[bytes - 1 - i] = (byte) (content.length >> (8 * i));
    }
    return join(size, content);
  }

  private static byte[] extension(int type, byte[] content) {
    return join(new byte[] {(byte) (type >> 8), (byte) type}, sized(2, content));
  }

  private static byte[] name(String name) {
    byte[] entry = join(new byte[] {0}, sized(2, name.getBytes(StandardCharsets.ISO_8859_1)));
    return extension(0, sized(2, entry));
  }

  private static byte[] hello(byte[]... extensions) {
    byte[] body =
        join(
            new byte[] {3, 3},
            new byte[32],
            sized(1, new byte[32]),
            sized(2, new byte[] {0x13, 1}),
            sized(1, new byte[1]),
            sized(2, join(extensions)));
    return join(new byte[] {1}, sized(3, body));
  }

  private static byte[] records(byte[] message, int each) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int at = 0; at < message.length; at += each) {
      byte[] piece = Arrays.copyOfRange(message, at, Math.min(message.length, at + each));
      out.writeBytes(join(new byte[] {22, 3, 1}, sized(2, piece)));
    }
    return out.toByteArray();
  }

  private static String read(byte[] bytes) throws IOException {
    ClientHello hello = new ClientHello();
    if (!hello.complete(Unpooled.wrappedBuffer(bytes))) {
      throw new EOFException();
    }
    return String.valueOf(hello.serverName());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 5, 50, 16384})
  void isReadOverRecords(int each) throws Exception {
    byte[] hello = hello(extension(10, new byte[4]), name("a.org"), extension(43, new byte[2]));
    assertEquals("a.org", read(records(hello, each)));
    ByteBuf arriving = Unpooled.buffer();
    ClientHello slow = new ClientHello();
    for (byte one : records(hello, each)) {
      assertFalse(slow.complete(arriving));
      arriving.writeByte(one);
    }
    assertTrue(slow.complete(arriving));
    assertEquals("a.org", slow.serverName());
  }

  @Test
  void mayNameNoServer() throws Exception {
    assertEquals("null", read(records(hello(), 16384)));
  }

  @Test
  void isReadToItsEndAndNoFurther() throws Exception {
    byte[] hello = records(hello(name("a.org")), 16384);
    assertEquals("a.org", read(join(hello, new byte[7])));
  }

  @Test
  void whatIsOddIsRefused() {
    byte[] two = sized(2, join(new byte[] {0, 0, 1, 'a'}, new byte[] {0, 0, 1, 'b'}));
    byte[] other = sized(2, new byte[] {1, 0, 1, 'a'});
    byte[] longer = join(sized(2, new byte[] {0, 0, 1, 'a'}), new byte[1]);
    byte[][] wrong = {
      records(hello(name("a.org"), name("b.org")), 16384),
      records(hello(extension(0, two)), 16384),
      records(hello(extension(0, other)), 16384),
      records(hello(extension(0, longer)), 16384),
      records(hello(extension(0, new byte[0])), 16384),
      records(hello(name("")), 16384),
      records(hello(extension(10, new byte[2]), extension(10, new byte[2])), 16384),
      records(join(hello(name("a.org")), new byte[1]), 16384),
      records(hello(new byte[] {0, 0, 1, 0}), 16384),
      records(new byte[] {2, 0, 0, 1, 0}, 16384),
      records(new byte[] {1, 0, 0, 0}, 16384),
      records(hello(extension(10, new byte[40_000])), 16384),
      new byte[] {22, 3, 1, 0, 0},
      new byte[] {22, 3, 1, 0x40, 1},
      new byte[] {22, 2, 1, 0, 1, 1},
      "GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII),
    };
    for (int i = 0; i < wrong.length; i++) {
      byte[] bytes = wrong[i];
      assertThrows(ProtocolException.class, () -> read(bytes), "number " + i);
    }
  }

  @Test
  void whatEndsEarlyIsRefusedAtEveryByte() {
    byte[] whole = records(hello(name("a.org")), 20);
    for (int i = 0; i < whole.length; i++) {
      byte[] part = Arrays.copyOf(whole, i);
      assertThrows(EOFException.class, () -> read(part), "after " + i);
    }
  }

  /** Whatever comes, it is a name, none, or refused; nothing else. */
  @Test
  void garbageIsRefused() {
    byte[] whole = records(hello(extension(10, new byte[4]), name("a.org")), 16384);
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = whole.clone();
      for (int n = random.nextInt(3); n >= 0; n--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      try {
        assertEquals(String.class, read(changed).getClass());
      } catch (IOException e) {
        assertEquals(
            true, e instanceof ProtocolException || e instanceof EOFException, e::toString);
      }
    }
  }
}
