// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what the client sends to an agent, and how it interprets the responses. */
class AgentTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String SHOWN = "sh0wn";
  private static final String NEXT = "n3xt";
  private static final String DEMANDS =
      "HTTP/1.1 204 No Content\r\nX-Ramet-Host-Secret: required\r\nConnection: close\r\n\r\n";
  private static final String PLAIN = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";

  private static boolean start(
      Answers agent, @Nullable String token, @Nullable String shown, @Nullable String next) {
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
        assertTrue(agent.requests.get(i).contains("X-Ramet-Host-Secret: " + SHOWN + "\r\n"));
        assertEquals(NEXT, agent.body(i).path("hostSecret").asText());
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
      assertFalse(String.valueOf(e.getMessage()).contains(SHOWN));
    }
  }

  @Test
  void callsBringTokenAndSecret() throws Exception {
    try (Answers agent = new Answers(PLAIN, PLAIN)) {
      new Agent().prepareForCapture(agent.address(), new AgentAccess("token", SHOWN), PATIENCE);
      new Agent().thaw(agent.address(), new AgentAccess(null, null), PATIENCE);
      assertTrue(agent.requests.get(0).contains("X-Ramet-Host-Secret: " + SHOWN));
      assertTrue(agent.requests.get(0).contains("X-Access-Token: token"));
      assertFalse(agent.requests.get(1).contains("X-"));
    }
  }
}
