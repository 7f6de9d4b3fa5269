// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Heads and bodies as they are sent, and as nobody may send them. */
final class HttpTest {
  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static RequestHead request(String text) throws IOException {
    return Objects.requireNonNull(RequestHead.read(bytes(text)));
  }

  private static String rest(InputStream in) throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void readsAHeadAndNoMore() throws Exception {
    InputStream in = bytes("POST /a?b HTTP/1.1\r\nHost:\t a.org:80 \r\nX-a: no\r\n\r\nbody");
    RequestHead head = Objects.requireNonNull(RequestHead.read(in));
    assertEquals("POST", head.method());
    assertEquals("/a?b", head.target());
    assertEquals("a.org:80", head.host());
    assertEquals("no", head.fields().only("x-A"));
    assertEquals(Framing.NONE, head.framing());
    assertEquals("body", rest(in));
    assertEquals(
        "POST /a?b HTTP/1.1\r\nHost: a.org:80\r\nX-a: no\r\n\r\n",
        new String(head.bytes(), StandardCharsets.ISO_8859_1));
    assertNull(RequestHead.read(bytes("")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\0\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\tb: c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\n: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        "GET / http/1.1\r\nHost: a\r\n\r\n",
        "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\u00e4 HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
        "POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\na",
        "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\na",
        "POST / HTTP/1.1\r\nContent-Length: 0x1\r\n\r\na",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\na",
        "POST / HTTP/1.1\r\nContent-Length:\r\n\r\na",
        "POST / HTTP/1.1\r\nContent-Length: 9999999999999999999\r\n\r\na",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding:\r\n\r\n",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      })
  void refusesWhatSomeUnderstandOtherwise(String text) {
    assertThrows(BadHttpException.class, () -> RequestHead.read(bytes(text)));
  }

  @Test
  void refusesWhatIsHuge() {
    String line = "A: " + "x".repeat(1000) + "\r\n";
    String many = "GET / HTTP/1.1\r\n" + line.repeat(100) + "\r\n";
    assertThrows(BadHttpException.class, () -> RequestHead.read(bytes(many)));
    String endless = "x".repeat(RequestHead.MOST_BYTES + 1);
    assertThrows(BadHttpException.class, () -> RequestHead.read(bytes(endless)));
    String fields = "GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(Fields.MOST + 1) + "\r\n";
    assertThrows(BadHttpException.class, () -> RequestHead.read(bytes(fields)));
    assertThrows(EOFException.class, () -> RequestHead.read(bytes("GET / HT")));
  }

  @Test
  void wantsOneHost() throws Exception {
    assertThrows(BadHttpException.class, () -> request("GET / HTTP/1.1\r\n\r\n").host());
    assertThrows(
        BadHttpException.class,
        () -> request("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n").host());
    assertThrows(BadHttpException.class, () -> request("GET / HTTP/1.1\r\nHost:\r\n\r\n").host());
  }

  private static String copied(Framing framing, InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    framing.copy(in, out);
    return out.toString(StandardCharsets.ISO_8859_1);
  }

  @Test
  void passesBodiesOnToTheirEnd() throws Exception {
    InputStream in = bytes("hello, more");
    assertEquals("hello", copied(Framing.ofLength("5"), in));
    assertEquals(", more", rest(in));
    String chunks = "5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n";
    InputStream chunked = bytes(chunks + "more");
    assertEquals(chunks, copied(Framing.CHUNKED, chunked));
    assertEquals("more", rest(chunked));
    assertEquals("all", copied(Framing.TO_THE_END, bytes("all")));
    assertEquals("", copied(Framing.NONE, bytes("more")));
    assertThrows(EOFException.class, () -> copied(Framing.ofLength("5"), bytes("hell")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "5\nhello\r\n0\r\n\r\n",
        "5\r\nhello!\r\n0\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n",
        "\r\nhello\r\n0\r\n\r\n",
        "-1\r\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n",
        "5 ;a\r\nhello\r\n0\r\n\r\n",
        "1000000000000000\r\nhello",
        "0\r\nX y\r\n\r\n",
        "0\r\n\n",
      })
  void refusesChunksThatAreNone(String body) {
    assertThrows(BadHttpException.class, () -> copied(Framing.CHUNKED, bytes(body)));
  }

  @Test
  void readsAnswers() throws Exception {
    ResponseHead head = ResponseHead.read(bytes("HTTP/1.1 200 OK then\r\nA: b\r\n\r\n"));
    assertEquals(200, head.status());
    assertEquals("OK then", head.reason());
    assertEquals(Framing.TO_THE_END, head.framing("GET"));
    assertEquals(Framing.NONE, head.framing("HEAD"));
    assertTrue(ResponseHead.read(bytes("HTTP/1.1 100 \r\n\r\n")).interim());
    assertTrue(!ResponseHead.read(bytes("HTTP/1.1 101\r\n\r\n")).interim());
    ResponseHead sized = ResponseHead.read(bytes("HTTP/1.0 404 No\r\nContent-Length: 2\r\n\r\n"));
    assertEquals(Framing.ofLength("2"), sized.framing("GET"));
    for (String bad : new String[] {"HTTP/1.1 20 OK", "HTTP/2 200 OK", "HTTP/1.1 2000", "x", ""}) {
      assertThrows(BadHttpException.class, () -> ResponseHead.read(bytes(bad + "\r\n\r\n")), bad);
    }
  }

  @Test
  void changesFields() throws Exception {
    Fields fields = request("GET / HTTP/1.1\r\nA: b\r\na: c\r\nB: Close, x\r\n\r\n").fields();
    assertEquals(Set.of("close", "x"), fields.words("b"));
    assertEquals(1, fields.without(Set.of("A")).all().size());
    assertEquals("d", fields.with("a", "d").only("A"));
  }
}
