// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.keys.LocalKeyFile;
import dev.ramet.server.settings.TestHost;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests how the administrators of this machine reach a host: by its unix socket and by its local
 * key.
 */
class LocalAccessTest {
  private static final String OWNER_ONLY = "rw-------";

  @TempDir private Path root;

  private TestHost host(Object... properties) {
    Map<String, Object> all = new HashMap<>();
    all.put("ramet.auth", "AUTO");
    all.put("ramet.data-root", root.toString());
    for (int i = 0; i < properties.length; i += 2) {
      all.put((String) properties[i], properties[i + 1]);
    }
    return new TestHost(all);
  }

  private Path socket() {
    return root.resolve("ramet.sock");
  }

  private Path keyFile() {
    return root.resolve(LocalKeyFile.NAME);
  }

  /** Sends one request over the socket; returns the response with its head, as text. */
  private String ask(String request) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
      channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1)));
      return new String(
          Channels.newInputStream(channel).readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private static String get(String path, String... headers) {
    return "GET "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        + String.join("", headers)
        + "\r\n";
  }

  @ParameterizedTest
  @ValueSource(strings = {"OFF", "ON"})
  void theSocketNeedsNoKey(String tls) throws IOException {
    try (TestHost host = host("ramet.tls", tls)) {
      assertTrue(ask(get("/templates")).startsWith("HTTP/1.1 200 "), "tls " + tls);
      assertTrue(ask(get("/doctor")).startsWith("HTTP/1.1 200 "), "it is an administrator's");
      String json = "{\"templateID\":\"base\"}";
      String made =
          ask(
              "POST /sandboxes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                  + "Content-Type: application/json\r\nContent-Length: "
                  + json.length()
                  + "\r\n\r\n"
                  + json);
      assertTrue(made.startsWith("HTTP/1.1 201 "), made);
      assertEquals(1, host.engine.sandboxes.byId.size());
    }
    JsonNode line =
        new ObjectMapper().readTree(Files.readAllLines(root.resolve("audit.log")).get(0));
    assertEquals("local", line.path("key").asText());
    assertEquals("unix", line.path("remote").asText());
    assertEquals(System.getProperty("user.name"), line.path("peer").path("user").asText());
  }

  @Test
  void aKeyThatIsShownOnTheSocketCounts() throws IOException {
    try (TestHost host = host()) {
      String answer = ask(get("/templates", "X-API-Key: e2b_wrong\r\n"));
      assertTrue(answer.startsWith("HTTP/1.1 401 "), answer);
    }
  }

  @Test
  void foreignNamesAreRefusedOnTheSocketToo() throws IOException {
    try (TestHost host = host()) {
      String answer = ask(get("/templates").replace("localhost", "evil.example"));
      assertTrue(answer.startsWith("HTTP/1.1 421 "), answer);
    }
  }

  @Test
  void onlyTheOwnerCanUseSocketAndKey() throws Exception {
    try (TestHost host = host()) {
      assertEquals(
          OWNER_ONLY, PosixFilePermissions.toString(Files.getPosixFilePermissions(keyFile())));
      String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(socket()));
      // If the machine has the group, it is the socket's group.
      assertTrue(List.of(OWNER_ONLY, "rw-rw----").contains(mode), mode);
    }
    assertFalse(Files.exists(socket()), "it goes with the host");
    assertTrue(Files.exists(keyFile()), "it stays for the next one");
  }

  @Test
  void theLocalKeyIsForEverything() throws Exception {
    String key;
    try (TestHost host = host()) {
      key = LocalKeyFile.read(keyFile());
      assertEquals(200, host.send("GET", "/doctor", null, "X-API-Key", key).status());
      assertEquals(
          200, host.send("GET", "/doctor", null, "Authorization", "Bearer " + key).status());
      Files.delete(keyFile());
      assertEquals(
          401, host.send("GET", "/doctor", null, "X-API-Key", key).status(), "ended at once");
    }
    try (TestHost host = host()) {
      assertNotEquals(key, LocalKeyFile.read(keyFile()), "another one");
      assertEquals(401, host.send("GET", "/doctor", null, "X-API-Key", key).status());
    }
  }

  @Test
  void aLocalKeyStaysTheSameAndBecomesPrivate() throws Exception {
    String key;
    try (TestHost host = host()) {
      key = LocalKeyFile.read(keyFile());
    }
    Files.setPosixFilePermissions(keyFile(), PosixFilePermissions.fromString("rw-r--r--"));
    try (TestHost host = host()) {
      assertEquals(key, LocalKeyFile.read(keyFile()));
      assertEquals(
          OWNER_ONLY, PosixFilePermissions.toString(Files.getPosixFilePermissions(keyFile())));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "e2b_short", "x"})
  void aDamagedKeyFileLetsNobodyIn(String content) throws Exception {
    Files.writeString(keyFile(), content);
    try (TestHost host = host()) {
      for (String sent : List.of(content.strip(), "", "x")) {
        assertEquals(401, host.send("GET", "/doctor", null, "X-API-Key", sent).status());
      }
    }
  }

  @Test
  void theSocketOfADeadHostIsReplaced() throws IOException {
    ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    dead.bind(UnixDomainSocketAddress.of(socket()));
    dead.close();
    try (TestHost host = host()) {
      assertTrue(ask(get("/health")).startsWith("HTTP/1.1 200 "));
    }
  }

  @Test
  void aSocketThatIsNotOursIsLeftAlone() throws Exception {
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(socket()));
      try (TestHost host = host()) {
        assertEquals(200, host.get("/health").status(), "the host starts without a socket");
      }
      assertTrue(Files.exists(socket()));
    }
    Files.delete(socket());
    Files.writeString(socket(), "precious");
    try (TestHost host = host()) {
      assertEquals(200, host.get("/health").status());
    }
    assertEquals("precious", Files.readString(socket()));
  }

  @Test
  void thereIsNoSocketIfNoneIsWanted() throws Exception {
    try (TestHost host = host("ramet.socket", "")) {
      assertEquals(200, host.get("/health").status());
      assertFalse(Files.exists(socket()));
    }
  }
}
