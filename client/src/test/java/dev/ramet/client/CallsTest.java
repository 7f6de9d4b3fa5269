// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the client's requests, and how it handles responses and missing responses. */
final class CallsTest {
  private static final byte[] MADE =
      FakeHost.SANDBOX.formatted("sb1").getBytes(StandardCharsets.UTF_8);

  private FakeHost host;
  private Ramet ramet;

  @BeforeEach
  void start() throws Exception {
    host = new FakeHost();
    ramet = Ramet.connect(host.uri(), "secret-key");
  }

  @AfterEach
  void stop() {
    ramet.close();
    host.close();
  }

  private static RametException failure(Runnable call) {
    return assertThrows(RametException.class, call::run);
  }

  @Test
  void aHostsErrorKeepsItsCodeMessageAndRemedy() {
    host.on(
        "/sandboxes",
        507,
        "{\"code\":507,\"message\":\"full\",\"error\":\"NO_SPACE\",\"remedy\":\"make room\"}");
    RametException e = failure(() -> ramet.create("micro"));
    assertEquals(ErrorCode.NO_SPACE, e.code());
    assertEquals("full", e.getMessage());
    assertEquals("make room", e.remedy());
    assertEquals(1, host.requests.size(), "what was refused is not sent again");
  }

  @Test
  void whatIsNoAnswerOfAHostIsAnErrorByItsStatus() {
    host.on("/sandboxes", 404, "<html>").on("/snapshots", 200, "<html>");
    assertEquals(ErrorCode.NOT_FOUND, failure(() -> ramet.sandbox("x")).code());
    assertEquals(ErrorCode.INTERNAL, failure(() -> ramet.snapshot("x")).code());
  }

  @Test
  void versionsOfTemplatesAreTagged() {
    host.on("/templates/tags", 201, "{\"buildID\":\"t2\",\"tags\":[\"stable\"]}");
    assertEquals("t2", ramet.tag("web:v2", "stable"));
    assertEquals("{\"target\":\"web:v2\",\"tags\":[\"stable\"]}", host.requests.get(0).body());
    ramet.untag("web", "stable", "v2");
    assertEquals("{\"name\":\"web\",\"tags\":[\"stable\",\"v2\"]}", host.requests.get(1).body());
    String tag = "{\"tag\":\"v2\",\"buildID\":\"t2\",\"createdAt\":\"2020-01-01T00:00:00Z\"}";
    host.on("/templates/web:v2/tags", 200, "[" + tag + "]");
    assertEquals("t2", ramet.tags("web:v2").get(0).buildID());
  }

  @Test
  void theKeyIsShownToTheHostAndToNobodyElse() {
    host.on("/sandboxes", 201, FakeHost.SANDBOX.formatted("sb1"));
    assertEquals("sb1", ramet.create("micro", Duration.ofMillis(1500)).id());
    FakeHost.Request request = host.requests.get(0);
    assertEquals("secret-key", request.headers().getFirst("X-API-KEY"));
    assertEquals("{\"templateID\":\"micro\",\"timeout\":2}", request.body());
    assertFalse(Settings.of(host.uri()).withApiKey("secret-key").toString().contains("secret"));
  }

  @Test
  void aCreationWhoseConnectionBreaksIsSentAgainWithTheSameKey() {
    AtomicInteger asked = new AtomicInteger();
    host.on(
        "/sandboxes",
        exchange -> {
          if (asked.incrementAndGet() > 2) {
            FakeHost.answer(exchange, 201, MADE);
          }
        });
    assertEquals("sb1", ramet.create("micro").id());
    List<String> keys =
        host.requests.stream().map(r -> r.headers().getFirst("Idempotency-Key")).toList();
    assertEquals(3, keys.size());
    assertNotNull(keys.get(0));
    assertEquals(1, keys.stream().distinct().count());
    ramet.create("micro");
    assertFalse(keys.contains(host.requests.get(3).headers().getFirst("Idempotency-Key")));
  }

  @Test
  void aConnectionThatAlwaysBreaksIsGivenUp() {
    host.on("/sandboxes", exchange -> {});
    assertEquals(ErrorCode.UNAVAILABLE, failure(() -> ramet.create("micro")).code());
    assertEquals(3, host.requests.size());
  }

  @Test
  void aHostThatSaysWhenToAskAgainIsAskedAgain() {
    AtomicInteger asked = new AtomicInteger();
    host.on(
        "/sandboxes",
        exchange -> {
          if (asked.incrementAndGet() == 1) {
            exchange.getResponseHeaders().set("Retry-After", "0");
            FakeHost.answer(exchange, 409, new byte[0]);
          } else {
            FakeHost.answer(exchange, 201, MADE);
          }
        });
    assertEquals("sb1", ramet.create("micro").id());
  }

  @Test
  void nobodyWaitsLongerForTheNextAttemptThanACallMayTake() {
    host.on(
        "/sandboxes",
        exchange -> {
          exchange.getResponseHeaders().set("Retry-After", "3600");
          FakeHost.answer(exchange, 429, new byte[0]);
        });
    assertEquals(ErrorCode.RATE_LIMITED, failure(() -> ramet.create("micro")).code());
    assertEquals(1, host.requests.size());
  }

  @Test
  void aHostThatIsSilentOrStopsInTheMiddleIsGivenUpInTime() {
    host.on("/sandboxes", exchange -> Thread.sleep(20_000))
        .on(
            "/snapshots",
            exchange -> {
              exchange.sendResponseHeaders(200, 100);
              exchange.getResponseBody().write('{');
              exchange.getResponseBody().flush();
              Thread.sleep(20_000);
            });
    try (Ramet hasty = Ramet.connect(Settings.of(host.uri()).withTimeout(Duration.ofMillis(300)))) {
      assertEquals(ErrorCode.DEADLINE_EXCEEDED, failure(() -> hasty.create("micro")).code());
      RametException e = failure(() -> hasty.snapshot("x"));
      assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
      assertNotNull(e.remedy());
    }
  }

  @Test
  void aHostThatIsNotThereIsToldOfWithARemedy() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (Ramet nobody = Ramet.connect(URI.create("http://127.0.0.1:" + port))) {
      RametException e = failure(() -> nobody.create("micro"));
      assertEquals(ErrorCode.UNAVAILABLE, e.code());
      assertNotNull(e.remedy());
    }
    for (String wrong : List.of("ftp://host", "host:3000", "http:///path")) {
      assertEquals(
          ErrorCode.INVALID_ARGUMENT, failure(() -> Ramet.connect(URI.create(wrong))).code());
    }
  }

  @Test
  void anInterruptedThreadStaysSo() {
    host.on("/sandboxes", exchange -> Thread.sleep(20_000));
    Thread.currentThread().interrupt();
    RametException e = failure(ramet::list);
    assertTrue(Thread.interrupted());
    assertEquals(ErrorCode.CANCELLED, e.code());
  }

  @Test
  void afterCloseNothingIsSent() {
    Sandbox sandbox = new Sandbox(ramet, "sb1", "");
    ramet.close();
    ramet.close();
    assertThrows(IllegalStateException.class, sandbox::info);
    assertEquals(0, host.requests.size());
  }

  @Test
  void allPagesOfAListAreRead() {
    host.on(
        "/sandboxes",
        exchange -> {
          boolean last = exchange.getRequestURI().toString().contains("nextToken=a%2Fb");
          if (!last) {
            exchange.getResponseHeaders().set("x-next-token", "a/b");
          }
          String page = "[" + FakeHost.SANDBOX.formatted(last ? "sb2" : "sb1") + "]";
          FakeHost.answer(exchange, 200, page.getBytes(StandardCharsets.UTF_8));
        });
    assertEquals(List.of("sb1", "sb2"), ramet.list().stream().map(Sandbox::id).toList());
  }

  @Test
  void aForkTellsOfEachThatWasNotMade() {
    host.on(
            "/sandboxes/sb1/fork",
            201,
            "[{\"sandbox\":%s},{\"error\":{\"code\":507,\"message\":\"full\",\"error\":\"NO_SPACE\",\"remedy\":\"make room\"}}]"
                .formatted(FakeHost.SANDBOX.formatted("sb2")))
        .on("/sandboxes/sb2", 204, "");
    try (Sandboxes forks = new Sandbox(ramet, "sb1", "").fork(2)) {
      assertEquals(List.of("sb2"), forks.stream().map(Sandbox::id).toList());
      assertEquals(1, forks.failures().size());
      assertEquals(ErrorCode.NO_SPACE, forks.failures().get(0).code());
      assertEquals("make room", forks.failures().get(0).remedy());
    }
    assertEquals("DELETE", host.requests.get(1).method());
  }

  @Test
  void killingManyGoesOnAfterAnError() {
    host.on("/sandboxes/a", 404, "").on("/sandboxes/b", 500, "").on("/sandboxes/c", 204, "");
    Sandboxes all =
        new Sandboxes(
            List.of("a", "b", "c").stream().map(id -> new Sandbox(ramet, id, "")).toList(),
            List.of());
    assertEquals(ErrorCode.INTERNAL, failure(all::close).code());
    assertEquals(3, host.requests.size());
    assertFalse(all.get(0).kill());
    assertTrue(all.get(2).kill());
  }

  @Test
  void aSandboxIsRestartedRenamedAndLabelled() {
    host.on("/sandboxes/sb1", 200, FakeHost.SANDBOX.formatted("sb1"));
    Sandbox sandbox = new Sandbox(ramet, "sb1", "");
    sandbox.restart();
    sandbox.rename("web");
    sandbox.rename(null);
    sandbox.label(Map.of("owner", "ci"), "stage");
    assertEquals(
        List.of(
            "/restart {}",
            "/name {\"name\":\"web\"}",
            "/name {\"name\":\"\"}",
            "/metadata {\"metadata\":{\"owner\":\"ci\"},\"remove\":[\"stage\"]}"),
        host.requests.stream()
            .map(r -> r.uri().replaceFirst("/sandboxes/sb1", "") + " " + r.body())
            .toList());
  }

  @Test
  void forEverIsMinusOneAndTimesAreRoundedUp() {
    assertEquals(-1, Ramet.seconds(null));
    assertEquals(0, Ramet.seconds(Duration.ZERO));
    assertEquals(1, Ramet.seconds(Duration.ofNanos(1)));
    assertEquals(60, Ramet.seconds(Duration.ofMinutes(1)));
    assertNull(Settings.of(host.uri()).apiKey());
  }
}
