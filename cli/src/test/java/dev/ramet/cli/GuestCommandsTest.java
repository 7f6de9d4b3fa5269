// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import dev.ramet.cli.http.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests {@code exec}, which calls the agent through the host. */
final class GuestCommandsTest {
  private static final String START = "/process.Process/Start";
  @AutoClose private final FakeHost host = new FakeHost();

  private static void frame(OutputStream out, int flags, String json) throws IOException {
    byte[] payload = json.getBytes(StandardCharsets.UTF_8);
    out.write(
        ByteBuffer.allocate(5 + payload.length)
            .put((byte) flags)
            .putInt(payload.length)
            .put(payload)
            .array());
    out.flush();
  }

  private static String data(String stream, byte[] bytes) {
    return "{\"event\":{\"data\":{\"%s\":\"%s\"}}}"
        .formatted(stream, Base64.getEncoder().encodeToString(bytes));
  }

  private static OutputStream streaming(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/connect+json");
    exchange.sendResponseHeaders(200, 0);
    frame(exchange.getResponseBody(), 0, "{\"event\":{\"start\":{\"pid\":42}}}");
    return exchange.getResponseBody();
  }

  private void answers(String... frames) {
    host.on(
        START,
        (exchange, body) -> {
          OutputStream out = streaming(exchange);
          for (String frame : frames) {
            frame(out, 0, frame);
          }
          frame(out, 2, "{}");
        });
  }

  @Test
  void execIsExactToTheByteAndEndsWithTheStatus() {
    byte[] odd = new byte[100_000];
    new Random(1).nextBytes(odd);
    answers(
        data("stdout", Arrays.copyOf(odd, 70_000)),
        "{\"event\":{\"keepalive\":{}}}",
        data("stderr", "oops\n".getBytes(StandardCharsets.UTF_8)),
        data("stdout", Arrays.copyOfRange(odd, 70_000, odd.length)),
        "{\"event\":{\"end\":{\"exitCode\":7,\"exited\":true,\"status\":\"exit status 7\"}}}");
    FakeHost.Outcome done =
        host.run(
            "sandbox",
            "exec",
            "abc",
            "-e",
            "A=1",
            "-w",
            "/w",
            "-u",
            "root",
            "--timeout",
            "9",
            "--",
            "sh",
            "-c",
            "x");
    assertEquals(7, done.status());
    assertArrayEquals(odd, done.bytes());
    assertEquals("oops\n", done.err());

    FakeHost.Request request = host.requests.get(0);
    ByteBuffer frame = ByteBuffer.wrap(request.body());
    assertEquals(0, frame.get());
    assertEquals(request.body().length - 5, frame.getInt());
    assertEquals(
        "{\"process\":{\"cmd\":\"sh\",\"args\":[\"-c\",\"x\"],\"envs\":{\"A\":\"1\"},\"cwd\":\"/w\"},"
            + "\"stdin\":false}",
        request.text().substring(5));
    assertEquals("abc", request.headers().getFirst("E2b-Sandbox-Id"));
    assertEquals("49983", request.headers().getFirst("E2b-Sandbox-Port"));
    assertEquals("application/connect+json", request.headers().getFirst("Content-Type"));
    assertEquals("9000", request.headers().getFirst("Connect-Timeout-Ms"));
    assertEquals("Basic cm9vdDo=", request.headers().getFirst("Authorization"));
  }

  @Test
  void aSignalGivesTheStatusOfAShell() {
    answers("{\"event\":{\"end\":{\"exitCode\":-1,\"status\":\"signal: killed\"}}}");
    assertEquals(137, host.run("sandbox", "exec", "abc", "x").status());
  }

  @Test
  void anAbsentExitCodeIsZero() {
    answers("{\"event\":{\"end\":{\"exited\":true}}}");
    assertEquals(0, host.run("sandbox", "exec", "abc", "x").status());
  }

  @Test
  void inputIsPassedOnAndEnded() throws Exception {
    byte[] input = new byte[50_000];
    new Random(2).nextBytes(input);
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    CountDownLatch closed = new CountDownLatch(1);
    host.on(
        START,
        (exchange, body) -> {
          OutputStream out = streaming(exchange);
          try {
            assertTrue(closed.await(20, TimeUnit.SECONDS));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          frame(out, 0, "{\"event\":{\"end\":{}}}");
          frame(out, 2, "{}");
        });
    host.on(
        "/process.Process/SendInput",
        (exchange, body) -> {
          JsonNode request = Json.tree(body);
          assertEquals(42, request.path("process").path("pid").asInt());
          received.writeBytes(request.path("input").path("stdin").binaryValue());
          FakeHost.answer(exchange, 200, "{}");
        });
    host.on(
        "/process.Process/CloseStdin",
        (exchange, body) -> {
          FakeHost.answer(exchange, 200, "{}");
          closed.countDown();
        });
    assertEquals(0, host.run(input, "sandbox", "exec", "abc", "-i", "--", "cat").status());
    assertArrayEquals(input, received.toByteArray());
  }

  @Test
  void anErrorOfTheAgentIsReported() {
    host.on(
        START,
        (exchange, body) -> {
          exchange.sendResponseHeaders(200, 0);
          frame(
              exchange.getResponseBody(),
              2,
              "{\"error\":{\"code\":\"invalid_argument\",\"message\":\"no such program\"}}");
        });
    FakeHost.Outcome done = host.run("sandbox", "exec", "abc", "x");
    assertEquals(125, done.status());
    assertEquals(
        "error: no such program\n  exit status 125 (2 in earlier versions, 125 to 127 now)\n",
        done.err());
  }

  @Test
  void aStreamThatBreaksOffIsNoSuccess() {
    host.on(START, (exchange, body) -> streaming(exchange));
    assertEquals(125, host.run("sandbox", "exec", "abc", "x").status());
  }

  @Test
  void aCommandThatTheGuestLacksHasTheStatusOfAShell() {
    refuses("command_not_found");
    assertEquals(127, host.run("sandbox", "exec", "abc", "x").status());
  }

  @Test
  void aCommandThatIsNotExecutableHasTheStatusOfAShell() {
    refuses("command_not_executable");
    assertEquals(126, host.run("sandbox", "exec", "abc", "x").status());
  }

  private void refuses(String reason) {
    host.on(
        START,
        (exchange, body) -> {
          exchange.sendResponseHeaders(200, 0);
          frame(
              exchange.getResponseBody(),
              2,
              "{\"error\":{\"code\":\"invalid_argument\",\"message\":\"no\",\"reason\":\"%s\"}}"
                  .formatted(reason));
        });
  }

  @Test
  void anOptionThatExecDoesNotHaveIsItsOwnFailure() {
    assertEquals(125, host.run("sandbox", "exec", "abc", "--nonsense", "x").status());
  }

  @Test
  void aPausedSandboxIsAConflictWithItsRemedy() {
    host.on(
        START,
        502,
        "{\"sandboxId\":\"abc\",\"message\":\"sandbox abc is paused\",\"code\":502,"
            + "\"error\":\"CONFLICT\",\"remedy\":\"resume it\"}");
    FakeHost.Outcome done = host.run("sandbox", "exec", "abc", "x");
    assertEquals(4, done.status());
    assertEquals("error: sandbox abc is paused\n  resume it\n", done.err());
  }

  @Test
  void aSandboxThatDoesNotExistIsNotFound() {
    host.on(
        START,
        502,
        "{\"sandboxId\":\"abc\",\"message\":\"The sandbox was not found\",\"code\":502}");
    host.on("/sandboxes/abc", 404, Answers.error(404, "NOT_FOUND", "sandbox not found: abc", "ls"));
    FakeHost.Outcome done = host.run("sandbox", "exec", "abc", "x");
    assertEquals(125, done.status());
    assertTrue(done.err().startsWith("error: sandbox not found: abc\n"), done.err());
  }

  @Test
  void execWithJsonPassesEventsOn() {
    answers(data("stdout", new byte[] {'h', 'i'}), "{\"event\":{\"end\":{}}}");
    assertEquals(
        """
        {"event":{"start":{"pid":42}}}
        {"event":{"data":{"stdout":"aGk="}}}
        {"event":{"end":{}}}
        """,
        host.run("sandbox", "exec", "abc", "--json", "--", "x").out());
  }
}
