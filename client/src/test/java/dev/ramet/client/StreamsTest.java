// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpExchange;
import dev.ramet.agent.Command;
import dev.ramet.agent.GuestProcess;
import dev.ramet.agent.IdleTimeoutStream;
import dev.ramet.agent.Result;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests programs and files of a sandbox, with a scripted agent. */
final class StreamsTest {
  private static final String START = "{\"event\":{\"start\":{\"pid\":7}}}";
  private static final String KEEPALIVE = "{\"event\":{\"keepalive\":{}}}";

  private FakeHost host;
  private Ramet ramet;
  private Sandbox sandbox;

  @BeforeEach
  void start() throws Exception {
    host = new FakeHost();
    ramet = Ramet.connect(host.uri());
    sandbox = new Sandbox(ramet, "sb1", "");
  }

  @AfterEach
  void stop() {
    ramet.close();
    host.close();
  }

  private static byte[] frame(int flags, String json) {
    byte[] payload = json.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(5 + payload.length)
        .put((byte) flags)
        .putInt(payload.length)
        .put(payload)
        .array();
  }

  private static String data(String stream, String text) {
    return "{\"event\":{\"data\":{\"%s\":\"%s\"}}}"
        .formatted(
            stream, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static String end(int code, String status) {
    return "{\"event\":{\"end\":{\"exitCode\":%d,\"exited\":true,\"status\":\"%s\"}}}"
        .formatted(code, status);
  }

  private static OutputStream open(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    return exchange.getResponseBody();
  }

  /** Sets a stream of events with a proper end. */
  private void says(String... events) {
    host.on(
        "/process.Process/Start",
        exchange -> {
          try (OutputStream out = open(exchange)) {
            for (String event : events) {
              out.write(frame(0, event));
            }
            out.write(frame(2, "{}"));
          }
        });
  }

  @Test
  void outputAndStatusOfAProgramComeBack() {
    says(
        START,
        data("stdout", "é1\n"),
        KEEPALIVE,
        data("stderr", "bad"),
        data("stdout", "2"),
        end(3, "exit status 3"));
    Command command =
        Command.shell("work").as("me").in("/srv").withEnvironment(Map.of("A", "b")).withInput();
    Result result = sandbox.run(command.within(Duration.ofSeconds(9)));
    assertEquals(new Result(3, "é1\n2", "bad"), result);
    assertFalse(result.ok());
    assertEquals(ErrorCode.INTERNAL, assertThrows(RametException.class, result::text).code());
    FakeHost.Request request = host.requests.get(0);
    assertEquals("sb1", request.headers().getFirst("E2b-Sandbox-Id"));
    assertEquals("9000", request.headers().getFirst("Connect-Timeout-Ms"));
    assertEquals("Basic bWU6", request.headers().getFirst("Authorization"));
    assertEquals(
        "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"work\"],\"envs\":{\"A\":\"b\"},"
            + "\"cwd\":\"/srv\"},\"stdin\":true}",
        request.body().substring(5));
  }

  @Test
  void aSignalIsReportedAsAShellDoes() {
    says(START, end(-1, "signal: killed"));
    assertEquals(137, sandbox.run("work").status());
  }

  @Test
  void outputComesWhileTheProgramRuns() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    host.on("/process.Process/SendInput", 200, "{}")
        .on("/process.Process/CloseStdin", 200, "{}")
        .on("/process.Process/SendSignal", 200, "{}")
        .on(
            "/process.Process/Start",
            exchange -> {
              try (OutputStream out = open(exchange)) {
                out.write(frame(0, START));
                out.write(frame(0, data("stdout", "first")));
                out.flush();
                seen.await();
                out.write(frame(0, end(0, "exit status 0")));
                out.write(frame(2, "{}"));
              }
            });
    try (GuestProcess process = sandbox.start(Command.of("cat").withInput())) {
      assertEquals(7, process.pid());
      GuestProcess.Output first = process.next();
      assertNotNull(first);
      assertArrayEquals("first".getBytes(StandardCharsets.UTF_8), first.bytes());
      process.write(new byte[] {1, 2, 3});
      process.closeInput();
      process.signal("SIGTERM");
      seen.countDown();
      assertNull(process.next());
      assertEquals(0, process.result().status());
    }
    assertEquals(
        "{\"process\":{\"pid\":7},\"input\":{\"stdin\":\"AQID\"}}", host.requests.get(1).body());
    assertEquals(
        "{\"process\":{\"pid\":7},\"signal\":\"SIGNAL_SIGTERM\"}", host.requests.get(3).body());
  }

  @Test
  void theAgentsErrorsKeepTheirMeaning() {
    host.on(
        "/process.Process/Start",
        exchange -> {
          try (OutputStream out = open(exchange)) {
            out.write(frame(0, START));
            out.write(
                frame(2, "{\"error\":{\"code\":\"deadline_exceeded\",\"message\":\"late\"}}"));
          }
        });
    RametException e = assertThrows(RametException.class, () -> sandbox.run("work"));
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
    assertEquals("late", e.getMessage());
  }

  @Test
  void aStreamThatBreaksOffIsNoSuccess() {
    host.on("/sandboxes/sb1", 200, FakeHost.SANDBOX.formatted("sb1"))
        .on(
            "/process.Process/Start",
            exchange -> {
              try (OutputStream out = open(exchange)) {
                out.write(frame(0, START));
                byte[] whole = frame(0, data("stdout", "lost"));
                if (host.requests.size() == 1) {
                  out.write(whole, 0, whole.length - 2);
                }
              }
            });
    for (int i = 0; i < 2; i++) {
      RametException e = assertThrows(RametException.class, () -> sandbox.run("work"));
      assertEquals(ErrorCode.GUEST_UNREACHABLE, e.code());
      assertNotNull(e.remedy());
    }
  }

  @Test
  void aSandboxThatIsGoneIsNotFound() {
    host.on("/process.Process/Start", 502, "{\"code\":502,\"message\":\"no\"}")
        .on("/sandboxes/sb1", 404, "{\"code\":404,\"message\":\"gone\",\"error\":\"NOT_FOUND\"}");
    RametException e = assertThrows(RametException.class, () -> sandbox.run("work"));
    assertEquals(ErrorCode.NOT_FOUND, e.code());
  }

  @Test
  void aStreamOutOfStepIsAnError() {
    host.on("/sandboxes/sb1", 200, FakeHost.SANDBOX.formatted("sb1"))
        .on(
            "/process.Process/Start",
            exchange ->
                FakeHost.answer(exchange, 200, "<html></html>".getBytes(StandardCharsets.UTF_8)));
    assertThrows(RametException.class, () -> sandbox.run("work"));
  }

  @Test
  @Timeout(900)
  void silenceEndsAStream() throws Exception {
    host.on(
        "/silent",
        exchange -> {
          open(exchange).flush();
          Thread.sleep(60_000);
        });
    InputStream silent = ramet.http().stream(ramet.http().request("GET", "/silent", null));
    try (InputStream stream = new IdleTimeoutStream(silent, Duration.ofSeconds(1))) {
      assertThrows(IOException.class, stream::read);
    }
  }

  @Test
  void aTokenIsAskedForOnceAndOnlyWhenItIsNeeded() {
    host.on(
            "/sandboxes/sb1",
            200,
            FakeHost.SANDBOX
                .formatted("sb1")
                .replace("\"state\"", "\"envdAccessToken\":\"t\",\"state\""))
        .on(
            "/files",
            exchange -> {
              boolean shown = exchange.getRequestHeaders().containsKey("X-Access-Token");
              FakeHost.answer(exchange, shown ? 200 : 401, "text".getBytes(StandardCharsets.UTF_8));
            });
    Sandbox listed = new Sandbox(ramet, "sb1", null);
    assertEquals("text", listed.files().readText("/a b"));
    assertEquals("text", listed.files().readText("/a b"));
    assertEquals(4, host.requests.size());
    assertEquals("/sandboxes/sb1", host.requests.get(1).uri());
    assertEquals("/files?path=%2Fa%20b", host.requests.get(2).uri());
    assertEquals("t", host.requests.get(2).headers().getFirst("X-Access-Token"));
  }

  @Test
  void filesAreWrittenToTheByte() throws Exception {
    ByteArrayOutputStream got = new ByteArrayOutputStream();
    host.on("/files", 200, "[]");
    sandbox.files().write("/f", "é");
    sandbox.files().write("/f", new ByteArrayInputStream(new byte[] {'a', 'b'}));
    for (FakeHost.Request request : host.requests) {
      got.writeBytes(request.body().getBytes(StandardCharsets.UTF_8));
    }
    assertEquals("éab", got.toString(StandardCharsets.UTF_8));
  }
}
