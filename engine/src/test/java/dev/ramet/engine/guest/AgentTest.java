// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.engine.state.HostSecret;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what the client sends to an agent, and how it interprets the responses. */
class AgentTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final HostSecret SHOWN = HostSecret.next();
  private static final HostSecret NEXT = HostSecret.next();
  private static final String DEMANDS =
      "HTTP/1.1 204 No Content\r\nX-Ramet-Host-Secret: required\r\nConnection: close\r\n\r\n";
  private static final String PLAIN = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";

  /** A server that sends one prepared response per request; an empty one closes the connection. */
  private static final class Answers implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    final List<String> requests = Collections.synchronizedList(new ArrayList<>());

    Answers(String... answers) throws IOException {
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (String answer : answers) {
                    try (Socket one = socket.accept()) {
                      requests.add(request(one.getInputStream()));
                      one.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                    }
                  }
                } catch (IOException e) {
                  // The test is over.
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    private static String request(InputStream in) throws IOException {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        head.append((char) in.read());
      }
      String lower = head.toString().toLowerCase(Locale.ROOT);
      int at = lower.indexOf("content-length: ");
      int length =
          at < 0 ? 0 : Integer.parseInt(lower.substring(at + 16, lower.indexOf("\r\n", at)));
      return head + new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    InetSocketAddress address() {
      return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    JsonNode body(int request) throws IOException {
      String text = requests.get(request);
      return JsonFile.tree(text.substring(text.indexOf("\r\n\r\n")));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static boolean start(
      Answers agent,
      @Nullable String token,
      @Nullable HostSecret shown,
      @Nullable HostSecret next) {
    return new Agent()
        .initialise(
            agent.address(),
            new Agent.Start(Map.of(), token, List.of(), shown, next),
            false,
            () -> true,
            PATIENCE);
  }

  @Test
  void aLostAnswerIsAskedForAgainWithTheSameSecrets() throws Exception {
    try (Answers agent = new Answers("", DEMANDS)) {
      assertTrue(start(agent, "token", SHOWN, NEXT));
      assertEquals(2, agent.requests.size());
      for (int i = 0; i < 2; i++) {
        assertTrue(
            agent.requests.get(i).contains("X-Ramet-Host-Secret: " + SHOWN.value() + "\r\n"));
        assertEquals(NEXT.value(), agent.body(i).path("hostSecret").asText());
        assertEquals("token", agent.body(i).path("accessToken").asText());
      }
      assertEquals(agent.body(0).path("generation"), agent.body(1).path("generation"));
    }
  }

  @Test
  void anAgentThatDoesNotDemandItIsKnown() throws Exception {
    try (Answers agent = new Answers(PLAIN)) {
      assertFalse(start(agent, "", null, null));
      assertFalse(agent.requests.get(0).contains("X-Ramet-Host-Secret"));
      assertFalse(agent.body(0).has("hostSecret"));
      assertEquals("", agent.body(0).path("accessToken").asText("none"));
    }
  }

  @Test
  void aTokenThatIsTheAgentsAlreadyIsNotTold() throws Exception {
    try (Answers agent = new Answers(DEMANDS)) {
      assertTrue(start(agent, null, SHOWN, NEXT));
      assertFalse(agent.body(0).has("accessToken"));
    }
  }

  @Test
  void aRefusalSaysNoSecret() throws Exception {
    try (Answers agent =
        new Answers(
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")) {
      RametException e = assertThrows(RametException.class, () -> start(agent, null, SHOWN, NEXT));
      assertEquals(ErrorCode.GUEST_UNREACHABLE, e.code());
      assertFalse(String.valueOf(e.getMessage()).contains(SHOWN.value()));
    }
  }

  @Test
  void callsBringTokenAndSecret() throws Exception {
    try (Answers agent = new Answers(PLAIN, PLAIN)) {
      new Agent().settle(agent.address(), new AgentAccess("token", SHOWN), PATIENCE);
      new Agent().thaw(agent.address(), new AgentAccess(null, null), PATIENCE);
      assertTrue(agent.requests.get(0).contains("X-Ramet-Host-Secret: " + SHOWN.value()));
      assertTrue(agent.requests.get(0).contains("X-Access-Token: token"));
      assertFalse(agent.requests.get(1).contains("X-"));
    }
  }
}
