// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.Guest.Http.Head;
import dev.ramet.server.tls.TestFiles;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Iterator;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the API and the data plane with TLS, over HTTP/1.1 and HTTP/2. */
@Timeout(900)
class TlsTest {
  /** Shared by all tests, so that the certificate is issued once. */
  @TempDir private static Path root;

  private TlsHost tls;
  private Guest echo;
  private String id = "";

  @BeforeEach
  void start() throws Exception {
    tls = new TlsHost(root, Map.of("ramet.domain", "box.test"));
    echo = new Guest(TlsTest::echo);
    id = tls.sandbox(echo);
  }

  @AfterEach
  void close() throws Exception {
    echo.close();
    tls.close();
  }

  /** Responds to every request with the request itself: line, headers, body. */
  private static void echo(Http http) throws IOException {
    for (Head head = http.head(); head != null; head = http.head()) {
      String body = head.line() + "|" + head.headers() + "|" + http.body(head);
      http.send("HTTP/1.1 201 Made\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theApi(HttpClient.Version version) throws Exception {
    HttpClient client = tls.client(version);
    assertEquals(200, tls.send(client, tls.request("/health")).statusCode());
    HttpResponse<String> missing = tls.send(client, tls.request("/sandboxes/none"));
    assertEquals(404, missing.statusCode());
    assertEquals(404, json(missing).path("code").asInt());
    HttpResponse<String> bad =
        tls.send(
            client,
            tls.request("/sandboxes")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{")));
    assertEquals(400, bad.statusCode());
    HttpResponse<String> gone = tls.send(client, tls.request("/sandboxes/" + id).DELETE());
    assertEquals(204, gone.statusCode());
  }

  private static JsonNode json(HttpResponse<String> answer) throws IOException {
    return new ObjectMapper().readTree(answer.body());
  }

  @ParameterizedTest
  @EnumSource
  void answersThatComeLineByLine(HttpClient.Version version) throws Exception {
    HttpResponse<Stream<String>> build =
        tls.client(version)
            .send(
                tls.request("/templates")
                    .header("Accept", "application/x-ndjson")
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"recipe\":\"slow\",\"name\":\"s\"}"))
                    .build(),
                BodyHandlers.ofLines());
    try (Stream<String> lines = build.body()) {
      Iterator<String> line = lines.iterator();
      assertEquals("{\"step\":\"build slow\"}", line.next());
      tls.host.engine.templates.slow.countDown();
      assertEquals("{\"step\":\"capture\"}", line.next());
    }
    HttpClient client = tls.client(version);
    String operation =
        json(tls.send(client, tls.request("/operations"))).findPath("operationID").asText();
    HttpResponse<Stream<String>> events =
        client.send(
            tls.request("/operations/" + operation + "/events").build(), BodyHandlers.ofLines());
    try (Stream<String> lines = events.body()) {
      assertTrue(lines.anyMatch(line -> line.startsWith("data:") && line.contains(operation)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void guestsByHeaders(HttpClient.Version version) throws Exception {
    HttpClient client = tls.client(version);
    HttpResponse<String> echoed =
        tls.send(
            client,
            tls.request("/a/../b?q=%2F")
                .header("E2b-Sandbox-Id", id)
                .header("X-Kept", "1")
                .POST(BodyPublishers.ofString("hello")));
    assertEquals(201, echoed.statusCode());
    String[] parts = echoed.body().split("\\|", -1);
    assertEquals("POST /a/../b?q=%2F HTTP/1.1", parts[0]);
    assertTrue(parts[1].contains("x-kept=1"), parts[1]);
    assertTrue(parts[1].contains("x-forwarded-proto=https"), parts[1]);
    assertTrue(parts[1].contains("host=localhost:49983"), parts[1]);
    assertTrue(!parts[1].contains("x-http2"), parts[1]);
    assertEquals("hello", parts[2]);
    assertEquals(
        404, tls.send(client, tls.request("/init").header("E2b-Sandbox-Id", id)).statusCode());
    HttpResponse<String> none =
        tls.send(
            client,
            tls.request("/")
                .header("E2b-Sandbox-Id", "none")
                .POST(BodyPublishers.ofByteArray(new byte[300_000])));
    assertEquals(502, none.statusCode());
    assertEquals("none", json(none).path("sandboxId").asText());
  }

  @ParameterizedTest
  @EnumSource
  void guestsBySignature(HttpClient.Version version) throws Exception {
    HttpClient client = tls.client(version);
    HttpResponse<String> made =
        tls.send(
            client,
            tls.request("/v2/sandboxes")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"templateID\":\"base\"}")));
    String secure = json(made).path("sandboxID").asText();
    String token = json(made).path("envdAccessToken").asText();
    tls.host.engine.sandboxes.endpoints.put(secure + ":49983", echo.address());
    byte[] sum =
        MessageDigest.getInstance("SHA-256")
            .digest(("/x:read:me:" + token).getBytes(StandardCharsets.UTF_8));
    String signature =
        URLEncoder.encode(
            "v1_" + Base64.getEncoder().withoutPadding().encodeToString(sum),
            StandardCharsets.UTF_8);
    String path = "/files?path=/x&username=me&signature=";
    HttpResponse<String> read = tls.send(client, tls.request(path + signature));
    assertTrue(read.body().startsWith("GET " + path), read.body());
    assertEquals(401, tls.send(client, tls.request(path + "v1_other")).statusCode());
  }

  @Test
  void guestsByTheNameOfTheHost() throws Exception {
    String name = "49983-" + id + ".box.test:443";
    try (Http client = tls.connect()) {
      client.send("GET /x HTTP/1.1\r\nHost: " + name + "\r\n\r\n");
      assertTrue(client.body(client.needHead()).contains("host=" + name));
    }
    try (RawHttp2 client = new RawHttp2(tls)) {
      RawHttp2.Stream stream = client.send(true, "GET", name, "/x");
      assertEquals("201", stream.next());
      String body = stream.next();
      assertTrue(body.startsWith("data GET /x HTTP/1.1|"), body);
      assertTrue(body.contains("host=" + name), body);
    }
  }

  @Test
  void anotherProtocolOverHttp1() throws Exception {
    try (Guest guest =
            new Guest(
                http -> {
                  http.needHead();
                  http.send(
                      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                          + "Upgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nhello");
                  for (int c = http.in.read(); c >= 0 && c != 'q'; c = http.in.read()) {
                    http.out.write(Character.toUpperCase(c));
                  }
                });
        Http client = tls.connect()) {
      tls.host.engine.sandboxes.endpoints.put(id + ":49983", guest.address());
      client.send(
          "GET /ws HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: "
              + id
              + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      assertTrue(client.needHead().line().startsWith("HTTP/1.1 101"));
      assertEquals("hello", client.text(5));
      client.send("abc");
      assertEquals("ABC", client.text(3));
      client.send("q");
      assertEquals(-1, client.in.read());
    }
  }

  @Test
  void whoDoesNotSpeakTlsGetsNothing() throws Exception {
    try (Http client = Http.connect(tls.host.port())) {
      client.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertEquals(-1, client.in.read());
    }
    assertThrows(IOException.class, () -> tls.host.get("/health"));
    HttpClient strange = HttpClient.newHttpClient();
    assertThrows(
        javax.net.ssl.SSLException.class,
        () -> strange.send(tls.request("/health").build(), BodyHandlers.ofString()));
    assertEquals(
        200, tls.send(tls.client(HttpClient.Version.HTTP_2), tls.request("/health")).statusCode());
  }

  /** Without a restart, and open connections continue. */
  @Test
  void aCertificateThatIsReplacedIsShown(@TempDir Path files) throws Exception {
    TestFiles.make(files, "one", 30, "-ext", "san=dns:localhost");
    TestFiles.make(files, "two", 30, "-ext", "san=dns:localhost");
    Path certificate = Files.copy(files.resolve("one.crt"), files.resolve("used.crt"));
    Path key = Files.copy(files.resolve("one.key"), files.resolve("used.key"));
    try (TlsHost given =
        new TlsHost(
            root,
            Map.of("ramet.tls-certificate", "" + certificate, "ramet.tls-key", "" + key),
            files.resolve("one.crt"))) {
      HttpClient before = given.client(HttpClient.Version.HTTP_2);
      assertEquals(200, given.send(before, given.request("/health")).statusCode());
      Files.copy(files.resolve("two.crt"), certificate, StandardCopyOption.REPLACE_EXISTING);
      Files.copy(files.resolve("two.key"), key, StandardCopyOption.REPLACE_EXISTING);
      SSLContext next = TlsHost.trusting(files.resolve("two.crt"));
      boolean shown = false;
      while (!shown) { // the time limit of the test ends this loop
        try {
          HttpClient client = HttpClient.newBuilder().sslContext(next).build();
          given.send(client, given.request("/health"));
          shown = true;
        } catch (SSLException e) {
          Thread.sleep(100);
        }
      }
      assertEquals(200, given.send(before, given.request("/health")).statusCode());
    }
  }

  @Test
  void aHostWithAWrongCertificateDoesNotStart(@TempDir Path files) throws Exception {
    TestFiles.make(files, "old", 1, "-startdate", "-10d");
    assertEquals(
        2,
        Main.run(
            null,
            "-ramet.port=-1",
            "-ramet.data-root=" + files,
            "-ramet.tls=ON",
            "-ramet.tls-certificate=" + files.resolve("old.crt"),
            "-ramet.tls-key=" + files.resolve("old.key")));
    Files.createDirectory(files.resolve("tls"));
    Files.writeString(files.resolve("tls/authority.pem"), "broken");
    assertNotEquals(
        0, Main.run(null, "-ramet.port=-1", "-ramet.data-root=" + files, "-ramet.tls=ON"));
  }

  @ParameterizedTest
  @EnumSource
  void keysAreAsked(HttpClient.Version version) throws Exception {
    try (TlsHost closed = new TlsHost(root, Map.of("ramet.auth", "ON"))) {
      HttpClient client = closed.client(version);
      assertEquals(200, closed.send(client, closed.request("/health")).statusCode());
      assertEquals(401, closed.send(client, closed.request("/sandboxes")).statusCode());
    }
  }
}
