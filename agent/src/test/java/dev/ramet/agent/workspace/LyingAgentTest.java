// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that an agent cannot make the host believe nonsense or read without end. */
class LyingAgentTest {
  private static final String HEAD =
      "{\"version\":\"1\",\"digest\":\"" + "0".repeat(64) + "\",\"count\":2}\n";
  private static final String GOOD = link("a");

  private static String link(String path) {
    return "{\"path\":\""
        + path
        + "\",\"kind\":\"link\",\"mode\":511,\"uid\":0,\"gid\":0,"
        + "\"size\":0,\"modified\":0,\"target\":\"x\"}\n";
  }

  /** Reads a list from a server that sends a part again and again, or once. */
  private static RametException answered(String head, String body, boolean endless)
      throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread thread =
          new Thread(
              () -> {
                try (Socket one = server.accept()) {
                  byte[] part = body.getBytes(StandardCharsets.UTF_8);
                  one.getInputStream().read(new byte[8192]);
                  one.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
                  do {
                    one.getOutputStream().write(part);
                  } while (endless);
                } catch (java.io.IOException e) {
                  // The client has had enough.
                }
              });
      thread.setDaemon(true);
      thread.start();
      InetSocketAddress address = (InetSocketAddress) server.getLocalSocketAddress();
      return assertThrows(
          RametException.class,
          () -> {
            try (Listing<Entry> list = WorkspaceGround.of(address, "/root").index(null, null, 10)) {
              while (list.next() != null) {
                assertTrue(list.total() <= 2);
              }
            }
          });
    }
  }

  private static final String OK =
      "HTTP/1.1 200 OK\r\nX-Ramet-Workspace: 1\r\nConnection: close\r\n\r\n";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense\n",
        "[]\n",
        "{}\n",
        "\u0000\n",
        "{\"end\":true,\"count\":2}\n",
        "{\"end\":true,\"count\":-1}\n",
        "{\"path\":\"a\",\"kind\":\"dragon\"}\n",
        "{\"path\":\"a\",\"kind\":\"file\",\"mode\":1,\"uid\":0,\"gid\":0,\"size\":-1,\"modified\":0}\n",
        "{\"path\":\"a\",\"kind\":\"file\",\"mode\":99999,\"uid\":0,\"gid\":0,\"size\":1,\"modified\":0}\n",
        "{\"path64\":\"*\",\"kind\":\"link\",\"mode\":1,\"uid\":0,\"gid\":0,\"size\":1,\"modified\":0}\n"
      })
  void nonsenseIsRefused(String rest) throws Exception {
    assertEquals(ErrorCode.GUEST_UNREACHABLE, answered(OK, HEAD + rest, false).code());
  }

  @ParameterizedTest
  @ValueSource(strings = {"../etc/passwd", "/etc/passwd", "a/../b", ".", "a//b", ""})
  void pathsOutsideAreRefused(String path) throws Exception {
    assertEquals(ErrorCode.GUEST_UNREACHABLE, answered(OK, HEAD + link(path), false).code());
  }

  @Test
  void listsOutOfOrderAndTooLongAreRefused() throws Exception {
    assertEquals(ErrorCode.GUEST_UNREACHABLE, answered(OK, HEAD + GOOD + GOOD, false).code());
    String three = HEAD + GOOD + link("b") + link("c");
    assertEquals(ErrorCode.GUEST_UNREACHABLE, answered(OK, three, false).code());
    assertEquals(ErrorCode.GUEST_UNREACHABLE, answered(OK + HEAD, "x".repeat(4096), true).code());
    assertEquals(ErrorCode.GUEST_UNREACHABLE, answered(OK + "{}", GOOD, true).code());
  }

  @Test
  void otherAgentsAreTooOld() throws Exception {
    for (String status : new String[] {"404 Not Found", "200 OK", "501 Not Implemented"}) {
      String head = "HTTP/1.1 " + status + "\r\nConnection: close\r\n\r\n";
      RametException e = answered(head, "{}", false);
      assertEquals(ErrorCode.AGENT_TOO_OLD, e.code());
      assertTrue(String.valueOf(e.remedy()).contains("restart"));
    }
  }

  @Test
  void anErrorAfterTheBeginningIsTold() throws Exception {
    String line =
        "{\"end\":false,\"count\":0,\"error\":{\"code\":507,\"message\":\"full\\u001b[2J\"}}\n";
    RametException e = answered(OK, "\n\n" + line, false);
    assertEquals(ErrorCode.NO_SPACE, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("full?[2J"));
  }
}
