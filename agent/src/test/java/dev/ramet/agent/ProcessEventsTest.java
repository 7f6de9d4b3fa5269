// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.agent.ProcessEvents.Event;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the start of programs and the reading of their events. */
class ProcessEventsTest {
  private static final String START = "{\"event\":{\"start\":{\"pid\":7}}}";
  private static final String END = "{\"event\":{\"end\":{\"exited\":true}}}";

  /** A route to an agent that sends prepared bytes. */
  private static final class Prepared implements Route {
    final RametException gone = new RametException(ErrorCode.GUEST_UNREACHABLE, "gone");
    private final byte[] bytes;
    @Nullable Call call;
    @Nullable IOException reason;
    boolean closed;

    Prepared(byte[]... frames) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (byte[] frame : frames) {
        all.writeBytes(frame);
      }
      bytes = all.toByteArray();
    }

    @Override
    public byte[] request(Call sent) {
      call = sent;
      return bytes;
    }

    @Override
    public Answer open(Call sent) {
      call = sent;
      InputStream stream =
          new ByteArrayInputStream(bytes) {
            @Override
            public void close() {
              closed = true;
            }
          };
      return new Answer(stream, -1);
    }

    @Override
    public RametException incompleteResponse(IOException e) {
      return gone;
    }

    @Override
    public RametException streamEnded(@Nullable IOException e) {
      reason = e;
      return gone;
    }
  }

  private static byte[] frame(int flags, String json) {
    byte[] payload = json.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(5 + payload.length)
        .put((byte) flags)
        .putInt(payload.length)
        .put(payload)
        .array();
  }

  private static Event ending(String end) {
    String json = "{\"event\":{\"end\":" + end + "}}";
    ProcessEvents events =
        new Guest(new Prepared(frame(0, json), frame(2, "{}")), null).events(Command.of("x"));
    Event event = events.next();
    assertNotNull(event);
    assertTrue(event.isEnd());
    assertNull(events.next());
    assertNull(events.next());
    return event;
  }

  private static RametException failure(Route route) {
    try (GuestProcess process = new Guest(route, null).start(Command.of("x"))) {
      return assertThrows(RametException.class, process::result);
    }
  }

  @Test
  void aProgramIsStartedAsAsked() throws Exception {
    Prepared route = new Prepared(frame(0, START), frame(0, END), frame(2, "{}"));
    Command command = new Command("p", List.of("a"), Map.of("K", "v"), "/d", null, true, null);
    Guest guest = new Guest(route, "me");
    try (GuestProcess process = guest.start(command)) {
      assertEquals(7, process.pid());
      assertEquals(0, process.result().status());
    }
    Call call = route.call;
    assertNotNull(call);
    assertEquals("Basic bWU6", call.headers().get("Authorization"));
    assertEquals("30", call.headers().get("Keepalive-Ping-Interval"));
    assertFalse(call.headers().containsKey("Connect-Timeout-Ms"));
    assertEquals(Duration.ofMinutes(2), call.silence());
    Content content = call.content();
    assertNotNull(content);
    assertTrue(content.repeatable());
    try (InputStream in = content.source().get()) {
      assertArrayEquals(
          frame(
              0,
              "{\"process\":{\"cmd\":\"p\",\"args\":[\"a\"],\"envs\":{\"K\":\"v\"},\"cwd\":\"/d\"},"
                  + "\"stdin\":true}"),
          in.readAllBytes());
    }
    assertTrue(route.closed);

    guest.events(command.as("you").within(Duration.ofSeconds(2)), Duration.ofSeconds(1));
    call = route.call;
    assertNotNull(call);
    assertEquals("Basic eW91Og==", call.headers().get("Authorization"));
    assertEquals("2000", call.headers().get("Connect-Timeout-Ms"));
    assertEquals(Duration.ofMinutes(1), call.silence());
  }

  @Test
  void statusesAreThoseOfAShell() {
    assertEquals(0, ending("{}").status());
    assertTrue(ending("{}").succeeded());
    assertEquals(3, ending("{\"exitCode\":3,\"exited\":true}").status());
    Event killed = ending("{\"exitCode\":-1,\"status\":\"signal: killed\"}");
    assertEquals(137, killed.status());
    assertFalse(killed.succeeded());
    assertEquals("signal: killed", killed.endReason());
    assertEquals(
        139,
        ending("{\"exitCode\":-1,\"status\":\"signal: segmentation fault (core dumped)\"}")
            .status());
    assertEquals(255, ending("{\"exitCode\":-1,\"status\":\"signal: new\"}").status());
    assertFalse(ending("{\"exited\":false}").succeeded());
  }

  @Test
  void anEndWithoutTheLastMessageIsAnEnd() {
    Prepared route = new Prepared(frame(0, START), frame(0, END));
    try (GuestProcess process = new Guest(route, null).start(Command.of("x"))) {
      assertEquals(0, process.result().status());
    }
  }

  @Test
  void streamsThatBreakOffAreNoSuccess() {
    Prepared closed = new Prepared(frame(0, START));
    assertSame(closed.gone, failure(closed));
    assertNull(closed.reason);
    Prepared ended = new Prepared(frame(0, START), frame(2, "{}"));
    assertSame(ended.gone, failure(ended));
    for (byte[] rest :
        new byte[][] {{0, 0, 0, 0, 9, '{'}, {0, 127, 0, 0, 0}, {1, 0, 0, 0, 0}, {0}}) {
      Prepared broken = new Prepared(frame(0, START), rest);
      assertSame(broken.gone, failure(broken));
      assertNotNull(broken.reason);
      assertTrue(broken.closed);
    }
    Prepared strange = new Prepared(frame(0, START), frame(0, "no JSON"));
    assertSame(strange.gone, failure(strange));
  }

  @Test
  void theAgentsErrorsKeepTheirMeaning() {
    RametException late =
        failure(
            new Prepared(
                frame(0, START),
                frame(2, "{\"error\":{\"code\":\"deadline_exceeded\",\"message\":\"late\"}}")));
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
    assertEquals("late", late.getMessage());
    assertEquals(
        ErrorCode.INTERNAL,
        failure(new Prepared(frame(0, START), frame(2, "{\"error\":{\"code\":\"new\"}}"))).code());
  }

  @Test
  void aProgramThatIsNotStartedIsAnError() {
    Prepared route = new Prepared(frame(0, END), frame(2, "{}"));
    Guest guest = new Guest(route, null);
    RametException e = assertThrows(RametException.class, () -> guest.start(Command.of("x")));
    assertEquals(ErrorCode.INTERNAL, e.code());
    assertTrue(route.closed);
  }
}
