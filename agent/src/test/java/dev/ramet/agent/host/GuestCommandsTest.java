// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what the steps of a template ask of the agent, and how its errors come back. */
class GuestCommandsTest {
  private static final String START = "{\"event\":{\"start\":{\"pid\":7}}}";

  @TempDir Path scratch = Path.of("");

  private static GuestCommands guest(Answers agent) {
    return new GuestCommands(agent.address(), new AgentAccess("t0ken", "s3cret"), () -> {});
  }

  private static String answer(String status, String body) {
    return "HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
        .formatted(status, body.length(), body);
  }

  private static String frame(int flags, String json) {
    byte[] head = ByteBuffer.allocate(5).put((byte) flags).putInt(json.length()).array();
    return new String(head, StandardCharsets.US_ASCII) + json;
  }

  private static String data(String stream, String text) {
    return "{\"event\":{\"data\":{\"%s\":\"%s\"}}}"
        .formatted(
            stream, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static @Nullable String run(Answers agent, List<String> lines) {
    return guest(agent)
        .run(
            "work",
            "me",
            null,
            Map.of(),
            Duration.ofSeconds(9),
            (error, text) -> lines.add((error ? "err " : "out ") + text));
  }

  @Test
  void aCommandGivesLinesAndSuccess() throws Exception {
    String events =
        frame(0, START)
            + frame(0, data("stdout", "on"))
            + frame(0, "{\"event\":{\"keepalive\":{}}}")
            + frame(0, data("stderr", "bad\u0007\n"))
            + frame(0, data("stdout", "e\ntwo"))
            + frame(0, "{\"event\":{\"end\":{\"exited\":true}}}")
            + frame(2, "{}");
    try (Answers agent = new Answers(answer("200 OK", events))) {
      List<String> lines = new ArrayList<>();
      assertNull(run(agent, lines));
      assertEquals(List.of("err bad?", "out one", "out two"), lines);
      String request = agent.requests.get(0);
      assertTrue(request.contains("X-Access-Token: t0ken"), request);
      assertTrue(request.contains("X-Ramet-Host-Secret: s3cret"), request);
      assertTrue(request.contains("Authorization: Basic bWU6"), request);
      assertTrue(request.contains("Keepalive-Ping-Interval: 1\r\n"), request);
      assertTrue(request.contains("\"args\":[\"-l\",\"-c\",\"work\"]"), request);
    }
  }

  @Test
  void aFailureIsDescribed() throws Exception {
    String events =
        frame(0, "{\"event\":{\"end\":{\"exitCode\":3,\"status\":\"exit status 3\"}}}")
            + frame(2, "{}");
    try (Answers agent = new Answers(answer("200 OK", events))) {
      assertEquals("exit status 3", run(agent, new ArrayList<>()));
    }
  }

  private static ErrorCode code(Answers agent) {
    return assertThrows(RametException.class, () -> run(agent, new ArrayList<>())).code();
  }

  @Test
  void streamsThatFailSayWhy() throws Exception {
    String late = frame(2, "{\"error\":{\"code\":\"deadline_exceeded\",\"message\":\"x\"}}");
    String none = frame(2, "{\"error\":{\"code\":\"not_found\",\"message\":\"x\"}}");
    try (Answers agent =
        new Answers(
            answer("200 OK", late),
            answer("200 OK", none),
            answer("200 OK", frame(0, START)),
            answer("500 Internal Server Error", "{}"))) {
      assertEquals(ErrorCode.DEADLINE_EXCEEDED, code(agent));
      assertEquals(ErrorCode.INVALID_ARGUMENT, code(agent));
      assertEquals(ErrorCode.GUEST_UNREACHABLE, code(agent));
      assertEquals(ErrorCode.GUEST_UNREACHABLE, code(agent));
    }
  }

  @Test
  void aDirectoryMayExist() throws Exception {
    try (Answers agent =
        new Answers(
            answer("409 Conflict", "{\"code\":\"already_exists\",\"message\":\"x\"}"),
            answer("200 OK", "{\"entry\":{\"path\":\"/home/me/d\"}}"))) {
      assertEquals("/home/me/d", guest(agent).directory("d", "me"));
    }
  }

  @Test
  void refusalsKeepTheirMeaning() throws Exception {
    try (Answers agent =
        new Answers(
            answer("404 Not Found", "{\"code\":404,\"message\":\"no such endpoint: x\"}"),
            answer("404 Not Found", "{\"code\":\"not_found\",\"message\":\"no\\u0007ne\"}"),
            answer("507 Insufficient Storage", "{}"))) {
      GuestCommands guest = guest(agent);
      RametException old = assertThrows(RametException.class, () -> guest.applyTemplate(Map.of()));
      assertEquals(ErrorCode.UNSUPPORTED, old.code());
      assertEquals("the agent of the source template does not know /template", old.getMessage());
      RametException none = assertThrows(RametException.class, () -> guest.stat("x", null));
      assertEquals(ErrorCode.INVALID_ARGUMENT, none.code());
      assertEquals("no?ne", none.getMessage());
      assertEquals(
          ErrorCode.NO_SPACE,
          assertThrows(RametException.class, () -> guest.directory("x", null)).code());
    }
  }

  @Test
  void anArchiveIsSentWhole() throws IOException {
    Path archive = Files.writeString(scratch.resolve("a"), "content");
    Map<String, @Nullable String> how = new LinkedHashMap<>();
    how.put("src", "a b");
    how.put("mode", null);
    try (Answers agent = new Answers(answer("200 OK", ""))) {
      guest(agent).unpack(archive, "me", how);
      String request = agent.requests.get(0);
      assertTrue(request.startsWith("POST /unpack?src=a%20b& HTTP/1.1\r\n"), request);
      assertTrue(request.endsWith("\r\n\r\ncontent"), request);
      Path gone = scratch.resolve("gone");
      assertEquals(
          ErrorCode.NOT_FOUND,
          assertThrows(RametException.class, () -> guest(agent).unpack(gone, null, how)).code());
    }
  }

  @Test
  void theCallerMayEndAWait() throws Exception {
    try (Answers silent = new Answers()) {
      RuntimeException stop = new RametException(ErrorCode.CANCELLED, "stop");
      GuestCommands guest =
          new GuestCommands(
              silent.address(),
              new AgentAccess(null, null),
              () -> {
                throw stop;
              });
      assertEquals(stop, assertThrows(RametException.class, () -> guest.stat("x", null)));
    }
  }
}
