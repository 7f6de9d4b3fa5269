// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.Guest.Http.Head;
import dev.ramet.server.settings.TestHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests attempts to connect to a guest that does not accept a connection at once. */
@Timeout(900)
class ConnectingTest {
  private static final String WHOLE = "first and second";

  private final TestHost host = new TestHost(Map.of());
  private String id = "";

  @BeforeEach
  void sandbox() throws Exception {
    id = host.sandbox();
  }

  @AfterEach
  void close() {
    host.close();
  }

  /**
   * A listener whose queue is full, like that of a user-mode network with many concurrent
   * connections: the kernel drops new connections until a waiting one is accepted.
   */
  private static final class Busy implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 200;

    final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new ArrayList<>();

    Busy() throws IOException {
      try {
        while (true) {
          Socket filler = new Socket();
          sockets.add(filler);
          filler.connect(listener.getLocalSocketAddress(), PATIENCE_MILLIS);
        }
      } catch (SocketTimeoutException full) {
        // The last one is not in the queue; its kernel must not retry it later.
        sockets.remove(sockets.size() - 1).close();
      }
    }

    /** Accepts the waiting connections, so that others get through. */
    void makeRoom() throws IOException {
      for (int waiting = sockets.size(); waiting > 0; waiting--) {
        sockets.add(listener.accept());
      }
    }

    /** Accepts the next connection. */
    Http next() throws IOException {
      Socket socket = listener.accept();
      sockets.add(socket);
      return new Http(socket);
    }

    @Override
    public void close() throws IOException {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private Http ask(InetSocketAddress guest, String head) throws IOException {
    host.engine.sandboxes.endpoints.put(id + ":49983", guest);
    Http client = Http.connect(host.port());
    client.send(head + " HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: " + id + "\r\n");
    return client;
  }

  private static InetSocketAddress address(ServerSocket listener) {
    return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }

  private static String sized(String answer) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + answer.length() + "\r\n\r\n" + answer;
  }

  private static void assertPortClosed(Http client) throws IOException {
    Head refused = client.needHead();
    assertEquals("HTTP/1.1 502 Bad Gateway", refused.line());
    assertTrue(client.body(refused).contains("port is not open"));
  }

  @Test
  void whoTakesConnectionsLateIsFoundSoonerThanTheKernelWould() throws Exception {
    try (Busy guest = new Busy()) {
      long start = System.nanoTime();
      try (Http client = ask(address(guest.listener), "GET /late")) {
        client.send("\r\n");
        // A single attempt would be retried by the kernel after 1 s and after 3 s.
        Thread.sleep(1_200);
        guest.makeRoom();
        try (Http taken = guest.next()) {
          assertEquals("GET /late HTTP/1.1", taken.needHead().line());
          long millis = millisSince(start);
          assertTrue(millis < 2_900, "after " + millis + " ms");
          taken.send(sized("here"));
          assertEquals("here", client.body(client.needHead()));
        }
      }
    }
  }

  @Test
  void whoNeverTakesOneIsGivenUpInTime() throws Exception {
    try (Busy guest = new Busy()) {
      long start = System.nanoTime();
      try (Http client = ask(address(guest.listener), "GET /never")) {
        client.send("\r\n");
        assertPortClosed(client);
      }
      long millis = millisSince(start);
      assertTrue(millis >= 4_500 && millis < 10_000, "after " + millis + " ms");
    }
  }

  /** A machine's ports exist as long as the machine, so a refused connection is not retried. */
  @Test
  void whoRefusesIsNotAskedAgain() throws Exception {
    InetSocketAddress nobody;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = address(closed);
    }
    long start = System.nanoTime();
    try (Http client = ask(nobody, "GET /refused")) {
      client.send("\r\n");
      assertPortClosed(client);
    }
    long millis = millisSince(start);
    assertTrue(millis < 3_000, "after " + millis + " ms");
  }

  @Test
  void aBodyThatCameMeanwhileIsSentOnce() throws Exception {
    try (Busy guest = new Busy();
        Http client = ask(address(guest.listener), "POST /body")) {
      client.send("Content-Length: " + WHOLE.length() + "\r\n\r\nfirst and ");
      Thread.sleep(500);
      guest.makeRoom();
      try (Http taken = guest.next()) {
        Head head = taken.needHead();
        assertEquals("POST /body HTTP/1.1", head.line());
        client.send("second");
        assertEquals(WHOLE, taken.body(head));
        taken.send(sized("taken"));
        assertEquals("taken", client.body(client.needHead()));
        assertNobodyElse(guest.listener);
        taken.socket.setSoTimeout(300);
        try {
          assertEquals(-1, taken.in.read(), "nothing follows the body");
        } catch (SocketTimeoutException nothing) {
          // Expected: the connection stays open for another request.
        }
      }
    }
  }

  private static void assertNobodyElse(ServerSocket listener) throws IOException {
    listener.setSoTimeout(1_000);
    try (Socket another = listener.accept()) {
      throw new AssertionError("it was sent again, from " + another.getRemoteSocketAddress());
    } catch (SocketTimeoutException nobody) {
      // Expected.
    }
  }

  /**
   * The guest disconnects within the body of the second request, on the connection of the first.
   */
  @Test
  void aBodyThatIsUnderWayIsNotSentTwice() throws Exception {
    for (String method : new String[] {"POST", "PUT", "GET"}) {
      BlockingQueue<String> heads = new LinkedBlockingQueue<>();
      Guest.Script script =
          http -> {
            Head head = http.needHead();
            heads.add(head.line());
            http.send(sized("kept"));
            heads.add(http.needHead().line());
            http.text("first".length());
          };
      try (Guest guest = new Guest(script);
          Http client = ask(guest.address(), "GET /kept")) {
        client.send("\r\n");
        assertEquals("kept", client.body(client.needHead()));
        client.send(
            method
                + " /body HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: "
                + id
                + "\r\nContent-Length: "
                + WHOLE.length()
                + "\r\n\r\nfirst");
        assertEquals("HTTP/1.1 502 Bad Gateway", client.needHead().line(), method);
        assertEquals(1, guest.connections.get(), method);
        assertEquals(
            List.of("GET /kept HTTP/1.1", method + " /body HTTP/1.1"), List.copyOf(heads), method);
      }
    }
  }

  /** A request that a disconnecting guest did not read may be sent again if it changes nothing. */
  @Test
  void onlyWhatChangesNothingIsSentAgainOverAnotherConnection() throws Exception {
    for (String method : new String[] {"GET", "POST"}) {
      BlockingQueue<String> heads = new LinkedBlockingQueue<>();
      Guest.Script script =
          http -> {
            heads.add(http.needHead().line());
            http.send(sized("kept"));
            heads.add(http.needHead().line());
          };
      try (Guest guest = new Guest(script);
          Http client = ask(guest.address(), "GET /kept")) {
        client.send("\r\n");
        assertEquals("kept", client.body(client.needHead()));
        client.send(
            method
                + " /again HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: "
                + id
                + "\r\nContent-Length: 0\r\n\r\n");
        boolean again = method.equals("GET");
        assertEquals(
            again ? "HTTP/1.1 200 OK" : "HTTP/1.1 502 Bad Gateway", client.needHead().line());
        assertEquals(again ? 2 : 1, guest.connections.get(), method);
        assertEquals(again ? 3 : 2, heads.size(), heads.toString());
      }
    }
  }
}
