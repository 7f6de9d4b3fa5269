// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests tokens, and how failures on the way through a host are explained. */
class HostRouteTest {
  /** A host with one sandbox. */
  private static final class Host extends HostRoute {
    private final @Nullable String demanded;
    private final @Nullable ErrorCode failure;
    private final List<String> seen = new ArrayList<>();

    Host(@Nullable String known, @Nullable String demanded, @Nullable ErrorCode failure) {
      super("sb1", known);
      this.demanded = demanded;
      this.failure = failure;
    }

    @Override
    protected byte[] exchange(Call call) {
      String token = call.headers().get("X-Access-Token");
      seen.add(call.headers().get("E2b-Sandbox-Id") + " " + token);
      if (failure != null) {
        throw new RametException(failure, "call");
      }
      if (demanded != null && !demanded.equals(token)) {
        throw new RametException(ErrorCode.UNAUTHENTICATED, "call");
      }
      return "[]".getBytes(StandardCharsets.UTF_8);
    }

    @Override
    protected Answer stream(Call call) {
      return new Answer(new ByteArrayInputStream(exchange(call)), -1);
    }

    @Override
    protected @Nullable String fetchAccessToken() {
      seen.add("asked");
      if (failure != null) {
        throw new RametException(ErrorCode.NOT_FOUND, "look");
      }
      return demanded;
    }

    @Override
    public RametException incompleteResponse(IOException e) {
      return new RametException(ErrorCode.UNAVAILABLE, "broken", e);
    }

    @Override
    public RametException streamEnded(@Nullable IOException e) {
      return new RametException(ErrorCode.UNAVAILABLE, "gone", e);
    }
  }

  private static void read(Guest guest) throws IOException {
    try (InputStream in = guest.read("/f").stream()) {
      assertEquals(2, in.readAllBytes().length);
    }
  }

  @Test
  void aTokenIsAskedForOnceAfterARefusal() throws Exception {
    Host host = new Host(null, "t", null);
    Guest guest = new Guest(host, null);
    read(guest);
    guest.closeInput(1);
    assertEquals(List.of("sb1 null", "asked", "sb1 t", "sb1 t"), host.seen);
  }

  @Test
  void whoNeedsNoTokenAsksForNone() throws Exception {
    Host host = new Host(null, null, null);
    read(new Guest(host, null));
    assertEquals(List.of("sb1 null"), host.seen);
  }

  @Test
  void contentThatCannotBeSentAgainIsSentOnce() {
    Host host = new Host(null, "t", null);
    new Guest(host, null).write("/f", Content.of(new ByteArrayInputStream(new byte[1]), 1));
    assertEquals(List.of("asked", "sb1 t"), host.seen);
  }

  @Test
  void aWrongTokenIsARefusal() {
    Host host = new Host("wrong", "t", null);
    Guest guest = new Guest(host, null);
    RametException e = assertThrows(RametException.class, () -> guest.closeInput(1));
    assertEquals(ErrorCode.UNAUTHENTICATED, e.code());
    assertEquals(List.of("sb1 wrong"), host.seen);
  }

  @Test
  void theHostSaysWhyAGuestIsOutOfReach() {
    Guest lost = new Guest(new Host("", null, ErrorCode.GUEST_UNREACHABLE), null);
    assertEquals(
        ErrorCode.NOT_FOUND,
        assertThrows(RametException.class, () -> lost.signal(1, "SIGTERM")).code());
    Guest full = new Guest(new Host("", null, ErrorCode.NO_SPACE), null);
    assertEquals(
        ErrorCode.NO_SPACE,
        assertThrows(RametException.class, () -> full.signal(1, "SIGTERM")).code());
  }

  @Test
  void callsShowNoCredentials() {
    Call call = new Call("GET", "/files", java.util.Map.of("X-Access-Token", "t0ken"), null, null);
    assertFalse(call.toString().contains("t0ken"));
  }
}
