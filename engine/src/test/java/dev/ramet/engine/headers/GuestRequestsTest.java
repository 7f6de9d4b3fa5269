// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.certificates.Certificates;
import dev.ramet.certificates.GuestAuthority;
import dev.ramet.engine.RequestRules;
import dev.ramet.engine.http.RequestHead;
import dev.ramet.engine.http.ResponseHead;
import dev.ramet.engine.relay.HeaderRules;
import dev.ramet.engine.state.SecretFile;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests as guests send them, to hosts that see what became of them. */
@Timeout(120)
class GuestRequestsTest {
  private static final String GET = "GET /a?b HTTP/1.1\r\nHost: api.test\r\n";

  @TempDir private Path root;
  private final Ends ends = new Ends();
  private final BlockingQueue<RequestHead> seen = new LinkedBlockingQueue<>();
  private SecretFile secrets;
  private GuestAuthority authority;
  private HeaderRules rules;

  @BeforeEach
  void make() throws IOException {
    Path trusted = root.resolve("trusted.pem");
    Files.writeString(trusted, "a test's\n" + Certificates.pem(ends.authority.certificate()));
    secrets = new SecretFile(root);
    secrets.create("key", "v1", Map.of());
    authority = new GuestAuthority(root);
    rules =
        new GuestRequests(secrets, authority, new OutwardTls(trusted))
            .rules(
                RequestRules.of(
                    Map.of(
                        "api.test",
                        List.of(Map.of("X-Api-Key", "k ${e2b.secrets.key}", "X-Two", "two")))));
  }

  @AfterEach
  void close() throws Exception {
    ends.close();
  }

  /** Answers each request with its body. */
  private void echo(InputStream in, OutputStream out) throws IOException {
    for (RequestHead head = RequestHead.read(in); head != null; head = RequestHead.read(in)) {
      seen.add(head);
      if (head.fields().only("Expect") != null) {
        Ends.send(out, "HTTP/1.1 100 Continue\r\n\r\n");
      }
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      head.framing().copy(in, body);
      Ends.send(
          out,
          "HTTP/1.1 200 OK\r\nAlt-Svc: h3=\":443\"\r\nContent-Length: " + body.size() + "\r\n\r\n");
      out.write(body.toByteArray());
      out.flush();
    }
  }

  private Socket plainGuest(Ends.Script script) throws Exception {
    return ends.guest(ends.relay(rules, false, ends.host(false, script)));
  }

  private RequestHead next() throws InterruptedException {
    RequestHead head = seen.poll(60, TimeUnit.SECONDS);
    assertNotNull(head, () -> "no request came: " + ends.troubles);
    return head;
  }

  private static String answer(Socket guest) throws IOException {
    ResponseHead head = ResponseHead.read(guest.getInputStream());
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    head.framing("GET").copy(guest.getInputStream(), body);
    return (head.status() + " " + body.toString(StandardCharsets.UTF_8)).strip();
  }

  @Test
  void putsHeadersIntoRequestsOfTlsWithTheValueOfTheMoment() throws Exception {
    int port = ends.relay(rules, true, ends.host(true, this::echo));
    try (SSLSocket guest = ends.guest(port, authority.pem(), "h2", "http/1.1")) {
      assertEquals("http/1.1", guest.getApplicationProtocol());
      Ends.send(guest, GET + "x-api-key: mine\r\nX_Api_Key: odd\r\nAccept: */*\r\n\r\n");
      assertEquals("200", answer(guest));
      RequestHead first = next();
      assertEquals("/a?b", first.target());
      assertEquals(List.of("k v1"), first.fields().values("X-Api-Key"));
      assertEquals(List.of("odd"), first.fields().values("X_Api_Key"));
      assertEquals(List.of("two"), first.fields().values("X-Two"));
      assertEquals(List.of("*/*"), first.fields().values("Accept"));
      assertEquals(List.of("api.test"), first.fields().values("Host"));

      secrets.update("key", "v2", null);
      Ends.send(guest, GET + "\r\n");
      assertEquals("200", answer(guest));
      assertEquals(List.of("k v2"), next().fields().values("X-Api-Key"));
      assertEquals(1, ends.connections.get(), "a connection for both");

      secrets.delete("key");
      Ends.send(guest, GET + "\r\n");
      String gone = answer(guest);
      assertTrue(gone.startsWith("502 "), gone);
      assertTrue(gone.contains("key") && gone.contains("deleted"), gone);
      assertFalse(gone.contains("v2"), gone);
      assertNull(seen.poll());
    }
  }

  @Test
  void passesBodiesOn() throws Exception {
    try (Socket guest = plainGuest(this::echo)) {
      Ends.send(guest, "POST / HTTP/1.1\r\nHost: API.test:80\r\nContent-Length: 5\r\n\r\nhello");
      assertEquals("200 hello", answer(guest));
      assertEquals(List.of("k v1"), next().fields().values("X-Api-Key"));

      Ends.send(
          guest,
          "POST / HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
      assertEquals(List.of("chunked"), next().fields().values("Transfer-Encoding"));
      Ends.send(guest, "2;x=y\r\nde\r\n0\r\n\r\n");
      assertTrue(answer(guest).startsWith("200 "));

      Ends.send(
          guest,
          "PUT / HTTP/1.1\r\nHost: api.test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
      assertEquals(100, ResponseHead.read(guest.getInputStream()).status());
      Ends.send(guest, "ok");
      assertEquals("200 ok", answer(guest));
      Ends.send(guest, "HEAD / HTTP/1.0\r\nHost: api.test\r\n\r\n");
      ResponseHead head = ResponseHead.read(guest.getInputStream());
      assertEquals(200, head.status());
      assertEquals(List.of(), head.fields().values("Alt-Svc"));
      assertEquals(-1, guest.getInputStream().read(), "HTTP/1.0 ends with the answer");
    }
  }

  @Test
  void answersComeAsTheyAreMade() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    Ends.Script slow =
        (in, out) -> {
          seen.add(RequestHead.read(in));
          Ends.send(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
          assertTrue(read.await(60, TimeUnit.SECONDS));
          Ends.send(out, "4\r\nlast\r\n0\r\n\r\n");
          in.read();
        };
    try (Socket guest = plainGuest(slow)) {
      Ends.send(guest, GET + "\r\n");
      InputStream in = guest.getInputStream();
      assertEquals(200, ResponseHead.read(in).status());
      assertEquals("5\r\nfirst", Ends.read(in, 8));
      read.countDown();
      assertEquals("\r\n4\r\nlast\r\n0\r\n\r\n", Ends.read(in, 16));
    }
  }

  @Test
  void aHostMayAnswerBeforeItHasAll() throws Exception {
    Ends.Script early =
        (in, out) -> {
          seen.add(RequestHead.read(in));
          Ends.send(
              out, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
          in.read();
        };
    try (Socket guest = plainGuest(early)) {
      Ends.send(guest, "POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 5\r\n\r\nh");
      assertEquals("413", answer(guest));
    }
  }

  @Test
  void passesWebSocketsAndNoOtherProtocols() throws Exception {
    Ends.Script socket =
        (in, out) -> {
          RequestHead head = Objects.requireNonNull(RequestHead.read(in));
          seen.add(head);
          if (head.fields().only("Upgrade") == null) {
            Ends.send(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            head = Objects.requireNonNull(RequestHead.read(in));
            seen.add(head);
          }
          Ends.send(
              out,
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection:"
                  + " Upgrade\r\n\r\n");
          Ends.send(out, "to you");
          seen.add(new RequestHead("WS", Ends.read(in, 5), "", head.fields()));
          Ends.send(out, "!" + Ends.read(in, 1));
        };
    int port = ends.relay(rules, true, ends.host(true, socket));
    try (SSLSocket guest = ends.guest(port, authority.pem())) {
      Ends.send(guest, GET + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n");
      assertEquals("200", answer(guest));
      assertNull(next().fields().only("Upgrade"));
      Ends.send(guest, GET + "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n\r\n");
      assertEquals(101, ResponseHead.read(guest.getInputStream()).status());
      RequestHead asked = next();
      assertEquals("websocket", asked.fields().only("Upgrade"));
      assertEquals(List.of("k v1"), asked.fields().values("X-Api-Key"));
      assertEquals("to you", Ends.read(guest.getInputStream(), 6));
      Ends.send(guest, "to me");
      assertEquals("to me", next().target());
      Ends.send(guest, "?");
      assertEquals("!?", Ends.read(guest.getInputStream(), 2));
      assertEquals(-1, guest.getInputStream().read());
    }
  }

  @Test
  void refusesWhatCouldCarryHeadersElsewhere() throws Exception {
    for (List<String> one :
        List.of(
            List.of("421", "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"),
            List.of("421", "GET / HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n"),
            List.of("400", "GET / HTTP/1.1\r\n\r\n"),
            List.of("400", "GET / HTTP/1.1\r\nHost: api.test\r\nHost: api.test\r\n\r\n"),
            List.of("400", "GET http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n"),
            List.of("405", "TRACE / HTTP/1.1\r\nHost: api.test\r\n\r\n"),
            List.of("405", "CONNECT api.test:443 HTTP/1.1\r\nHost: api.test\r\n\r\n"),
            List.of("400", "GET / HTTP/1.1\nHost: api.test\n\n"),
            List.of("400", GET + "X: a\r\n X-Api-Key: b\r\n\r\n"),
            List.of("400", GET + "X-Api-Key : b\r\n\r\n"),
            List.of("400", GET + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            List.of("400", GET + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            List.of("400", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))) {
      try (Socket guest = plainGuest(this::echo)) {
        Ends.send(guest, one.get(1));
        String answer = answer(guest);
        assertTrue(answer.startsWith(one.get(0)), one.get(1) + answer);
      }
    }
    try (Socket guest = plainGuest(this::echo)) {
      Ends.send(guest, GET + "\r\n");
      assertEquals("200", answer(guest));
      assertNotNull(next());
      Ends.send(guest, "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n");
      assertTrue(answer(guest).startsWith("421"), "and so are later ones");
    }
    assertNull(seen.poll());
  }

  @Test
  void aHostThatIsNotTrustedGetsNothing() throws Exception {
    HeaderRules wary =
        new GuestRequests(secrets, authority, new OutwardTls(null))
            .rules(RequestRules.of(Map.of("api.test", List.of(Map.of("X", "y")))));
    int port = ends.relay(wary, true, ends.host(true, this::echo));
    try (SSLSocket guest = ends.guest(port, authority.pem())) {
      Ends.send(guest, GET + "\r\n");
      String answer = answer(guest);
      assertTrue(answer.startsWith("502 ") && answer.contains("certificate"), answer);
    }
    assertNull(seen.poll());
  }

  @Test
  void aGuestThatDoesNotTrustTheHostSaysSo() throws Exception {
    int port = ends.relay(rules, true, ends.host(true, this::echo));
    String other = Certificates.pem(ends.authority.certificate());
    assertThrows(SSLHandshakeException.class, () -> ends.guest(port, other));
    assertEquals(0, ends.connections.get());
  }

  @Test
  void asksAgainWhereTheHostHasClosedWhatIdled() throws Exception {
    Ends.Script once =
        (in, out) -> {
          seen.add(RequestHead.read(in));
          Ends.send(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        };
    try (Socket guest = plainGuest(once)) {
      for (int i = 1; i <= 3; i++) {
        Ends.send(guest, GET + "\r\n");
        assertEquals("200", answer(guest));
        assertNotNull(next());
        assertEquals(i, ends.connections.get());
      }
    }
  }

  @Test
  void certificatesAreMadeOnceAndTheAuthorityStays() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<SSLContext>> made = new ArrayList<>();
      CountDownLatch begin = new CountDownLatch(1);
      for (int i = 0; i < 8; i++) {
        made.add(
            threads.submit(
                () -> {
                  begin.await();
                  return authority.context("many.test");
                }));
      }
      begin.countDown();
      for (Future<SSLContext> one : made) {
        assertSame(made.get(0).get(), one.get());
      }
    } finally {
      threads.shutdownNow();
    }
    Path file = root.resolve(GuestAuthority.NAME);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(authority.pem(), new GuestAuthority(root).pem());
    Files.writeString(file, "{}");
    assertEquals(
        ErrorCode.CORRUPT,
        assertThrows(RametException.class, () -> new GuestAuthority(root).pem()).code());
    assertEquals("{}", Files.readString(file));
  }

  @Test
  void authoritiesThatAreNoneAreRefused() throws Exception {
    Path none = root.resolve("none.pem");
    assertThrows(RametException.class, () -> new OutwardTls(none));
    Files.writeString(none, "nothing");
    RametException refused = assertThrows(RametException.class, () -> new OutwardTls(none));
    assertTrue(String.valueOf(refused.getMessage()).contains("ramet.outbound-authorities"));
  }
}
