// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.TestHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a web page whose name was pointed at this host (DNS rebinding) gets no access. Each
 * request here is one that a browser sends for such a page, or another client by mistake.
 */
class AcceptedHostsTest {
  @AutoClose private static final TestHost UNSET = host();

  @AutoClose
  private static final TestHost SET =
      host("ramet.domain", "ramet.test", "ramet.tls-names", "more.test, other.test");

  @TempDir private static Path root;
  @AutoClose private static @Nullable TlsHost tlsHost;

  private static synchronized TlsHost tls() {
    TlsHost open = tlsHost;
    if (open == null) {
      open = new TlsHost(root, Map.of("ramet.tls-names", "cert.test"));
      tlsHost = open;
    }
    return open;
  }

  private static TestHost host(Object... properties) {
    Map<String, Object> all = new HashMap<>();
    for (int i = 0; i < properties.length; i += 2) {
      all.put((String) properties[i], properties[i + 1]);
    }
    return new TestHost(all);
  }

  /** Sends a raw request and returns the response with its head. */
  private static String ask(TestHost host, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), host.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private static String status(TestHost host, String name) throws IOException {
    return ask(host, "GET /health HTTP/1.1\r\nHost: " + name + "\r\nConnection: close\r\n\r\n")
        .substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length());
  }

  private static String status(TlsHost tls, String authority, String path) throws Exception {
    try (RawHttp2 client = new RawHttp2(tls)) {
      return client.send(true, "GET", authority, path).next();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:3000",
        "EVIL.EXAMPLE",
        "evil.example.",
        "localhost.evil.example",
        "evillocalhost",
        "127.0.0.1.evil.example",
        "127.0.0.1@evil.example",
        "evil.example@127.0.0.1",
        "[::1].evil.example",
        "[evil.example]",
        "127.0.0.1:80:80",
        "127.0.0.1, evil.example",
        "",
        "0x7f000001",
        "2130706433",
        "127.1",
        "localhost/",
        "localhost#",
        "xn--lcalhost-94a",
        "*",
        "."
      })
  void refusesForeignNames(String name) throws IOException {
    assertEquals("421", status(UNSET, name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1", "127.0.0.1:3000", "192.0.2.7", "[::1]", "[::1]:3000", "[fe80::1%25eth0]:80",
            "localhost",
        "LOCALHOST:1", "localhost.", "a.b.localhost:3000", "ramet.test", "x.ramet.test",
            "more.test", "other.test"
      })
  void acceptsItsOwnNames(String name) throws IOException {
    assertEquals("200", status(SET, name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x.more.test", "x.other.test", "amet.test", "xramet.test"})
  void acceptsNoMoreThanWasSet(String name) throws IOException {
    assertEquals("421", status(SET, name));
  }

  @Test
  void saysWhichSettingToChange() throws IOException {
    String answer =
        ask(UNSET, "GET / HTTP/1.1\r\nHost: \u009b31mevil.example\r\nConnection: close\r\n\r\n");
    assertTrue(answer.startsWith("HTTP/1.1 421 "), answer);
    assertTrue(answer.contains("ramet.tls-names") && answer.contains("ramet.domain"), answer);
    assertTrue(answer.contains("\"error\":\"MISDIRECTED\""), answer);
    assertFalse(answer.contains("\u009b"), "no terminal obeys it");
  }

  @Test
  void refusesWhateverTheAuthenticationIs() throws IOException {
    for (String auth : new String[] {"OFF", "ON", "AUTO"}) {
      try (TestHost host = host("ramet.auth", auth)) {
        assertEquals("421", status(host, "evil.example"), auth);
      }
    }
  }

  static Arguments[] attacks() {
    String end = "Connection: close\r\n\r\n";
    return new Arguments[] {
      Arguments.of(
          "the list",
          "GET /sandboxes HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n" + end),
      Arguments.of(
          "a new sandbox",
          "POST /sandboxes HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\nContent-Type:"
              + " application/json\r\nContent-Length: 21\r\nConnection: close\r\n\r\n{\"templateID\":\"base\"}"),
      Arguments.of(
          "a guest's port by name", "GET / HTTP/1.1\r\nHost: 49983-SANDBOX.evil.example\r\n" + end),
      Arguments.of(
          "a guest's port by headers",
          "GET / HTTP/1.1\r\nHost: evil.example\r\nE2b-Sandbox-Id: SANDBOX\r\nE2b-Sandbox-Port: 49983\r\n"
              + end),
      Arguments.of(
          "a guest's port by WebSocket",
          "GET / HTTP/1.1\r\nHost: 49983-SANDBOX.evil.example\r\nOrigin: http://evil.example\r\nUpgrade:"
              + " websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key:"
              + " AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"),
      Arguments.of(
          "an absolute target",
          "GET http://evil.example/sandboxes HTTP/1.1\r\nHost: localhost\r\n" + end),
      Arguments.of(
          "a signed file",
          "GET /files?path=/x&signature=v1_x HTTP/1.1\r\nHost: evil.example\r\n" + end)
    };
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("attacks")
  void nothingIsDoneForAForeignPage(String name, String request) throws Exception {
    try (Guest guest = new Guest(http -> {})) {
      String id = UNSET.sandbox();
      int before = UNSET.engine.sandboxes.byId.size();
      UNSET.engine.sandboxes.endpoints.put(id + ":49983", guest.address());
      String answer = ask(UNSET, request.replace("SANDBOX", id));
      assertTrue(answer.startsWith("HTTP/1.1 421 "), answer);
      assertEquals(before, UNSET.engine.sandboxes.byId.size());
      assertEquals(0, guest.connections.get(), "the guest hears nothing");
    }
  }

  @Test
  void aRequestNamesItsHostOnce() throws IOException {
    String twice =
        "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assertTrue(ask(UNSET, twice).startsWith("HTTP/1.1 400 "));
    String never = "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n";
    assertTrue(ask(UNSET, never).startsWith("HTTP/1.1 400 "));
    assertTrue(ask(UNSET, "GET /health HTTP/1.0\r\n\r\n").contains(" 200 "), "no browser's");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/health", "/sandboxes", "/"})
  void refusesForeignAuthoritiesOfHttp2(String path) throws Exception {
    for (String authority :
        new String[] {"evil.example", "49983-x.evil.example", "evil.example:443"}) {
      assertEquals("421", status(tls(), authority, path), authority);
    }
    assertEquals("200", status(tls(), "localhost", "/health"));
  }

  @Test
  void aHostWithTlsAlsoAnswersForTheNamesInItsCertificate() throws Exception {
    assertEquals("200", status(tls(), "cert.test", "/health"));
    String machine = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    assertEquals("200", status(tls(), machine, "/health"));
  }
}
