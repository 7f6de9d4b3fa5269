// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.head;
import static dev.ramet.egress.ProxyHarness.read;
import static dev.ramet.egress.ProxyHarness.rest;
import static dev.ramet.egress.ProxyHarness.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that answers to requests with a secret are whole and cannot be misunderstood. */
final class InjectedAnswersTest extends InjectedGround {
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
          // Data in flight may be lost when a connection is reset.
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
}
