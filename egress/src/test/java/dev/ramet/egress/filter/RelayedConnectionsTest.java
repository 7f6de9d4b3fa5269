// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import static dev.ramet.egress.filter.ConfinedProgram.ELSEWHERE;
import static dev.ramet.egress.filter.ConfinedProgram.OWN;
import static dev.ramet.egress.filter.ConfinedProgram.SERVERS;
import static dev.ramet.egress.filter.ConfinedProgram.get;
import static dev.ramet.egress.filter.ConfinedProgram.names;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.rule.NetworkRules;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that an accepted connection is still inspected as it continues. */
final class RelayedConnectionsTest {
  @AutoClose private final ConfinedProgram program = ConfinedProgram.start();

  @Test
  void furtherRequestsAreLookedAt() throws Exception {
    program.confine(names("a.test"));
    try (Peer patient =
        Peer.at(
            SERVERS,
            (client, got) -> {
              byte[] bytes = new byte[4096];
              for (int n = client.getInputStream().read(bytes);
                  n >= 0;
                  n = client.getInputStream().read(bytes)) {
                got.add(new String(bytes, 0, n, StandardCharsets.ISO_8859_1));
                client.getOutputStream().write('.');
              }
            })) {
      byte[] first = get("a.test").getBytes(StandardCharsets.US_ASCII);
      assertEquals(".", program.ask("keep", ELSEWHERE, patient.port(), first));
      assertEquals(".", program.ask("more", ELSEWHERE, patient.port(), first));
      byte[] other = get("b.test").getBytes(StandardCharsets.US_ASCII);
      assertEquals("reset", program.ask("more", ELSEWHERE, patient.port(), other));
      assertEquals(List.of(get("a.test"), get("a.test")), List.copyOf(patient.got()).subList(0, 2));
    }
  }

  @Test
  void connectionsThatAreRefusedNowEnd() throws Exception {
    program.confine(names("a.test"));
    try (Peer patient =
        Peer.at(
            SERVERS,
            (client, got) -> {
              client.getOutputStream().write('.');
              client.getInputStream().readAllBytes();
            })) {
      byte[] first = get("a.test").getBytes(StandardCharsets.US_ASCII);
      assertEquals(".", program.ask("keep", ELSEWHERE, patient.port(), first));
      program.filter().change("one", OWN, names("a.test", "b.test"));
      program.filter().change("one", OWN, names("b.test"));
      assertEquals("reset", program.ask("more", ELSEWHERE, patient.port(), first));
    }
    assertTrue(program.ask(ELSEWHERE, get("a.test")).startsWith("HTTP/1.1 403"));
    program
        .filter()
        .change("one", OWN, new NetworkRules(List.of(), List.of(NetworkRules.EVERYTHING)));
    assertEquals("PermissionError", program.ask(ELSEWHERE, get("a.test")));
  }

  /** Protocol upgrades are refused, because they would carry requests that nobody inspects. */
  @Test
  void otherProtocolsAreNotChangedTo() throws Exception {
    program.confine(names("a.test"));
    String plain = "GET / HTTP/1.1\r\nHost: a.test\r\n";
    String h2 = "Upgrade: h2c\r\nHTTP2-Settings: x\r\nConnection: Upgrade, HTTP2-Settings\r\n";
    assertEquals("here " + plain + "\r\n", program.ask(ELSEWHERE, plain + h2 + "\r\n"));
    String hidden = plain + "Connection: host\r\n\r\n";
    assertTrue(program.ask(ELSEWHERE, hidden).startsWith("HTTP/1.1 400"));
    for (String line : List.of("GET http://b.test/ HTTP/1.1", "CONNECT b.test:443 HTTP/1.1")) {
      String tunnel = line + "\r\nHost: a.test\r\n\r\n";
      assertTrue(program.ask(ELSEWHERE, tunnel).startsWith("HTTP/1.1 400"), line);
    }
    assertEquals(1, program.server().got().size());
  }

  @ParameterizedTest
  @ValueSource(ints = {101, 200})
  void aWebSocketIsOneWhenTheServerSaysSo(int status) throws Exception {
    program.confine(names("a.test"));
    try (Peer socket =
        Peer.at(
            SERVERS,
            (client, got) -> {
              InputStream in = client.getInputStream();
              byte[] bytes = new byte[4096];
              got.add(new String(bytes, 0, in.read(bytes), StandardCharsets.ISO_8859_1));
              String head = "HTTP/1.1 " + status + " So\r\nContent-Length: 0\r\n\r\n";
              client.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
              int n = in.read(bytes);
              got.add(n < 0 ? "ended" : new String(bytes, 0, n, StandardCharsets.ISO_8859_1));
              client.getOutputStream().write("more".getBytes(StandardCharsets.US_ASCII));
              in.readAllBytes();
            })) {
      String request =
          "GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
      byte[] first = request.getBytes(StandardCharsets.US_ASCII);
      String answer = program.ask("keep", ELSEWHERE, socket.port(), first);
      assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
      assertEquals(request, socket.got().get(0));
      byte[] other = get("b.test").getBytes(StandardCharsets.US_ASCII);
      String then = program.ask("more", ELSEWHERE, socket.port(), other);
      assertEquals(status == 101 ? "more" : "reset", then);
      if (status == 101) {
        assertEquals(get("b.test"), socket.got().get(1));
      }
    }
  }
}
