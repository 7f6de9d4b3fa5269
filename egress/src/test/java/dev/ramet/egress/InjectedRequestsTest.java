// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.head;
import static dev.ramet.egress.ProxyHarness.read;
import static dev.ramet.egress.ProxyHarness.rest;
import static dev.ramet.egress.ProxyHarness.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.certificates.Certificates;
import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.injection.UpstreamTls;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.RequestRules;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that get a secret: the right host alone sees it, and nothing is cut off unnoticed. */
@Timeout(900)
final class InjectedRequestsTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
  private static final String POST = "POST / HTTP/1.1\r\nHost: a.test\r\n";
  private static final String KEY = "X-Key: s3cret\r\n";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  @TempDir private Path root;
  @AutoClose private final ProxyHarness net = new ProxyHarness();
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
  private GuestAuthority authority;
  private RequestInterceptor rules;

  static List<String> heads() {
    return Heads.AMBIGUOUS;
  }

  static List<String> bodies() {
    return Heads.BAD_CHUNKS;
  }

  @BeforeEach
  void start() throws Exception {
    Path trusted = root.resolve("trusted.pem");
    Files.writeString(trusted, Certificates.pem(net.authority.certificate()));
    MemorySecrets secrets = new MemorySecrets();
    secrets.put("key", "s3cret");
    authority = new GuestAuthority(root);
    rules =
        new GuestRequests(secrets, secrets::value, authority, new UpstreamTls(trusted))
            .rules(
                RequestRules.of(Map.of("a.test", List.of(Map.of("X-Key", "${e2b.secrets.key}")))));
    net.proxy(rules, "a.test", "b.test");
  }

  private String seen() throws InterruptedException {
    return String.valueOf(seen.poll(60, TimeUnit.SECONDS));
  }

  /** A host that answers each head with the same. */
  private void answering(String answer) throws Exception {
    net.host(
        socket -> {
          for (String head = head(socket); !head.endsWith("(end)"); head = head(socket)) {
            seen.add(head);
            send(socket, answer);
          }
        });
  }

  /** A host that keeps all it reads, with how it ended, and answers nothing. */
  private void listening() throws Exception {
    net.host(socket -> seen.add(rest(socket)));
  }

  @ParameterizedTest
  @MethodSource("heads")
  void aRequestThatCanBeMisunderstoodIsRefused(String text) throws Exception {
    answering(OK);
    try (Socket guest = net.guest()) {
      send(guest, GET + text);
      String answers = rest(guest);
      assertTrue(answers.startsWith(OK + "HTTP/1.1 400 Bad Request\r\n"), answers);
      assertTrue(answers.endsWith("\n(end)"), answers);
    }
    assertTrue(seen().contains(KEY));
    assertTrue(seen.isEmpty());
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void aBrokenChunkNeverLooksLikeAWholeBody(String body) throws Exception {
    listening();
    try (Socket guest = net.guest()) {
      send(guest, POST + "Transfer-Encoding: chunked\r\n\r\n" + body);
      String got = seen();
      assertTrue(got.startsWith(POST), got);
      assertFalse(got.contains("\r\n0\r\n"), got);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 10\r\n\r\nhello",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
      })
  void aGuestThatEndsEarlyNeverLooksFinished(String rest) throws Exception {
    listening();
    try (Socket guest = net.guest()) {
      send(guest, POST + rest);
      guest.shutdownOutput();
      String got = seen();
      assertTrue(got.contains("hello"), got);
      assertFalse(got.contains("\r\n0\r\n"), got);
      // An answer that says so, or the end; but none of a host.
      assertFalse(rest(guest).startsWith("HTTP/1.1 200"));
    }
  }

  @Test
  void whatIsTooLargeIsRefused() throws Exception {
    listening();
    String line = "A: " + "x".repeat(1000) + "\r\n";
    for (String large :
        List.of(
            GET.replace("\r\n\r\n", "\r\n") + line.repeat(70) + "\r\n",
            GET.replace("\r\n\r\n", "\r\n") + "A: b\r\n".repeat(300) + "\r\n")) {
      try (Socket guest = net.guest()) {
        send(guest, large);
        // Too large to find the name in it, so this is refused as a connection for no name.
        String answer = rest(guest);
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
      }
    }
    assertEquals(0, net.hostConnections.get());
  }

  @Test
  void aSecretGoesToItsHostAlone() throws Exception {
    answering(OK);
    try (Socket guest = net.guest()) {
      send(guest, GET.replace("a.test", "b.test"));
      assertEquals(OK, read(guest, OK.length()));
      send(guest, GET.replace("a.test", "b.test"));
      assertEquals(OK, read(guest, OK.length()));
    }
    assertFalse(seen().contains("X-Key"));
    assertFalse(seen().contains("X-Key"));
    try (Socket guest = net.guest()) {
      send(guest, GET);
      assertEquals(OK, read(guest, OK.length()));
      assertTrue(seen().contains(KEY));
      send(guest, GET.replace("a.test", "b.test"));
      assertTrue(rest(guest).startsWith("HTTP/1.1 421 "));
    }
    try (Socket guest = net.guest()) {
      send(guest, GET.replace("a.test", "b.test"));
      assertEquals(OK, read(guest, OK.length()));
      assertFalse(seen().contains("X-Key"));
      // Its name is allowed, so it passes here too, but without the header.
      send(guest, GET);
      guest.shutdownOutput();
      String answer = rest(guest);
      if (answer.startsWith(OK)) {
        assertFalse(seen().contains("s3cret"));
      }
    }
    assertTrue(seen.isEmpty());
  }

  @Test
  void requestsInOnePacketAreAnsweredInOrder() throws Exception {
    net.host(
        socket -> {
          for (int i = 1; i <= 3; i++) {
            seen.add(head(socket));
            // A request is not sent before the answer to the one before it.
            assertEquals(0, socket.getInputStream().available());
            send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + i);
          }
        });
    try (Socket guest = net.guest()) {
      send(guest, GET + GET + GET.replace("GET", "DELETE"));
      for (int i = 1; i <= 3; i++) {
        assertEquals("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", head(guest));
        assertEquals("" + i, read(guest, 1));
        assertTrue(seen().contains(KEY));
      }
    }
    assertTrue(net.troubles.isEmpty(), net.troubles.toString());
    assertEquals(1, net.hostConnections.get());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n",
        "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nz",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n"
      })
  void answersArePassedOnAsTheyAre(String answer) throws Exception {
    answering(answer);
    try (Socket guest = net.guest()) {
      for (int i = 0; i < 3; i++) {
        send(guest, GET);
        assertEquals(answer, read(guest, answer.length()));
      }
    }
    assertEquals(1, net.hostConnections.get());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 10\r\n", "Transfer-Encoding: chunked\r\n", ""})
  void answersToHeadHaveNoBody(String framing) throws Exception {
    String answer = "HTTP/1.1 200 OK\r\nX: y\r\n" + framing + "\r\n";
    answering(answer);
    try (Socket guest = net.guest()) {
      for (int i = 0; i < 3; i++) {
        send(guest, GET.replace("GET", "HEAD"));
        String head = head(guest);
        assertTrue(head.startsWith("HTTP/1.1 200 OK\r\nX: y\r\n"), head);
        assertFalse(framing.startsWith("Content") && !head.contains(framing), head);
      }
    }
    assertEquals(1, net.hostConnections.get());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 10\r\n\r\nhello",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\nx",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n 0\r\n\r\n"
      })
  void anAnswerThatIsCutOffNeverLooksWhole(String rest) throws Exception {
    String answer = "HTTP/1.1 200 OK\r\n" + rest;
    net.host(
        socket -> {
          head(socket);
          send(socket, answer);
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      String got = rest(guest);
      assertTrue(got.endsWith("(broken)"), got);
      assertFalse(got.contains("\r\n0\r\n\r\n"), got);
    }
    net.tlsHost(
        socket -> {
          head(socket);
          send(socket, answer);
        });
    try (SSLSocket guest = net.tlsGuest(authority.pem())) {
      send(guest, GET);
      String got = rest(guest);
      assertTrue(got.endsWith("(broken)"), got);
      assertFalse(got.contains("\r\n0\r\n\r\n"), got);
    }
  }

  @Test
  void anAnswerToTheEndIsWholeWhenTheHostSaysSo() throws Exception {
    String answer = "HTTP/1.1 200 OK\r\n\r\nall there is";
    net.tlsHost(
        socket -> {
          head(socket);
          send(socket, answer);
        });
    try (SSLSocket guest = net.tlsGuest(authority.pem())) {
      send(guest, GET);
      assertEquals(answer + "(end)", rest(guest));
    }
    net.host(
        socket -> {
          head(socket);
          send(socket, answer);
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      assertEquals(answer + "(end)", rest(guest));
    }
    net.host(
        socket -> {
          head(socket);
          send(socket, answer);
          socket.setSoLinger(true, 0);
          // What is under way when a connection is reset may be lost.
          Thread.sleep(300);
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      assertEquals(answer + "(broken)", rest(guest));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc"
      })
  void anAnswerThatCanBeMisunderstoodIsNotPassedOn(String answer) throws Exception {
    answering(answer);
    try (Socket guest = net.guest()) {
      send(guest, GET);
      String got = rest(guest);
      assertTrue(got.startsWith("HTTP/1.1 502 Bad Gateway\r\n"), got);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\n\r\n",
        "HTTP/1.1 200 OK\r\nX: y\r\n z\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: \0\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 042 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "SSH-2.0-x\r\n",
        ""
      })
  void aHostThatSpeaksNoHttpIsAnswered502(String answer) throws Exception {
    net.host(
        socket -> {
          seen.add(head(socket));
          send(socket, answer);
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      String got = rest(guest);
      assertTrue(got.startsWith("HTTP/1.1 502 Bad Gateway\r\n"), got);
      assertTrue(got.contains("a.test"), got);
      assertFalse(got.contains("s3cret"), got);
    }
    assertEquals(1, net.hostConnections.get());
  }

  @Test
  void aRequestWithABodyIsNotSentTwice() throws Exception {
    net.host(
        socket -> {
          for (int i = 0; i < 1; i++) {
            seen.add(head(socket));
            send(socket, OK);
          }
          seen.add(head(socket));
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      assertEquals(OK, read(guest, OK.length()));
      send(guest, POST + "Content-Length: 2\r\n\r\nok");
      assertTrue(rest(guest).startsWith("HTTP/1.1 502 "));
    }
    assertTrue(seen().startsWith("GET"));
    assertTrue(seen().startsWith("POST"));
    assertEquals(1, net.hostConnections.get());
  }

  @Test
  void whatIsBetweenTwoHopsIsLeftOut() throws Exception {
    answering(OK);
    try (Socket guest = net.guest()) {
      send(
          guest,
          GET.replace(
              "\r\n\r\n",
              "\r\nTE: trailers\r\nKeep-Alive: 5\r\nX: y\r\nx-key: own\r\nConnection: x, X\r\n\r\n"));
      assertEquals(OK, read(guest, OK.length()));
      assertEquals("GET / HTTP/1.1\r\nHost: a.test\r\nX: y\r\n" + KEY + "\r\n", seen());
      send(guest, GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
      assertEquals(OK + "(end)", rest(guest));
      assertTrue(seen().endsWith("Connection: close\r\n\r\n"));
    }
    for (String last :
        List.of(
            "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")) {
      answering(last);
      try (Socket guest = net.guest()) {
        send(guest, GET + GET);
        String got = rest(guest);
        assertTrue(
            got.endsWith("Content-Length: 0\r\n\r\n(end)") || got.endsWith("close\r\n\r\n(end)"),
            got);
        assertEquals(0, got.lastIndexOf("HTTP/1."), got);
      }
    }
  }

  @Test
  void aBodyWaitsForTheHostsWord() throws Exception {
    net.host(
        socket -> {
          seen.add(head(socket));
          send(socket, "HTTP/1.1 100 Continue\r\n\r\n");
          seen.add(read(socket, 2));
          send(socket, OK);
          seen.add(head(socket));
          send(socket, "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n");
          seen.add(rest(socket));
        });
    String asks = POST + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    try (Socket guest = net.guest()) {
      send(guest, asks);
      assertTrue(seen().contains("Expect: 100-continue\r\n"));
      assertEquals("HTTP/1.1 100 Continue\r\n\r\n", head(guest));
      send(guest, "ok");
      assertEquals("ok", seen());
      assertEquals(OK, read(guest, OK.length()));
      send(guest, asks);
      assertTrue(seen().contains("Expect: 100-continue\r\n"));
      // Nobody knows whether the body still comes, so no request may follow.
      assertEquals("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n(end)", rest(guest));
      String end = seen();
      assertTrue(end.equals("(end)") || end.equals("(broken)"), end);
    }
  }

  @Test
  void trailersPass() throws Exception {
    net.host(
        socket -> {
          String got = head(socket);
          while (!got.endsWith("\r\n\r\n") || !got.contains("X-Sum")) {
            got += read(socket, 1);
          }
          seen.add(got);
          send(socket, OK);
        });
    try (Socket guest = net.guest()) {
      send(guest, POST + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: y\r\n\r\n");
      assertEquals(OK, read(guest, OK.length()));
      String got = seen();
      assertTrue(got.contains(KEY), got);
      assertTrue(got.endsWith("\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: y\r\n\r\n"), got);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aGuestMayEndItsSideBeforeTheAnswer(boolean tls) throws Exception {
    ProxyHarness.Script late =
        socket -> {
          seen.add(head(socket));
          // The end of the guest arrives here, and the answer is still wanted.
          assertEquals(-1, socket.getInputStream().read());
          send(socket, OK);
        };
    if (tls) {
      net.tlsHost(late);
    } else {
      net.host(late);
    }
    try (Socket guest = tls ? net.tlsGuest(authority.pem()) : net.guest()) {
      send(guest, GET);
      guest.shutdownOutput();
      assertEquals(OK + "(end)", rest(guest));
    }
    assertTrue(seen().contains(KEY));
    assertTrue(net.troubles.isEmpty(), net.troubles.toString());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void muchPassesBothWays(boolean tls) throws Exception {
    int size = 8 << 20;
    byte[] much = new byte[size];
    new java.util.Random(7).nextBytes(much);
    ProxyHarness.Script echo =
        socket -> {
          head(socket);
          byte[] body = socket.getInputStream().readNBytes(size);
          send(socket, "HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n");
          socket.getOutputStream().write(body);
        };
    if (tls) {
      net.tlsHost(echo);
    } else {
      net.host(echo);
    }
    try (Socket guest = tls ? net.tlsGuest(authority.pem()) : net.guest()) {
      send(guest, POST + "Content-Length: " + size + "\r\n\r\n");
      guest.getOutputStream().write(much);
      guest.getOutputStream().flush();
      assertTrue(head(guest).startsWith("HTTP/1.1 200 OK\r\n"));
      assertTrue(java.util.Arrays.equals(much, guest.getInputStream().readNBytes(size)));
    }
    assertTrue(net.troubles.isEmpty(), net.troubles.toString());
  }
}
