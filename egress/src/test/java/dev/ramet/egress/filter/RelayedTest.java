// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import static dev.ramet.egress.filter.ConfinedProgram.ELSEWHERE;
import static dev.ramet.egress.filter.ConfinedProgram.OWN;
import static dev.ramet.egress.filter.ConfinedProgram.SERVERS;
import static dev.ramet.egress.filter.ConfinedProgram.get;
import static dev.ramet.egress.filter.ConfinedProgram.names;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.stream.ByteForwarder;
import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.InterceptedConnection;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules by names of hosts, for a real process. */
final class RelayedTest {
  @AutoClose private final ConfinedProgram program = ConfinedProgram.start();

  @ParameterizedTest
  @ValueSource(strings = {ELSEWHERE, "2001:db8::77"})
  void aNameIsReachedWhateverTheAddress(String address) throws Exception {
    program.confine(names("a.test", "*.a.test"));
    assertEquals("here " + get("a.test"), program.ask(address, get("a.test")));
    assertEquals("here " + get("below.A.test:80"), program.ask(address, get("below.A.test:80")));
    assertEquals(List.of("a.test", "below.a.test"), program.lookups());
    String refused = program.ask(address, get("b.test"));
    assertTrue(refused.startsWith("HTTP/1.1 403 Forbidden\r\n"), refused);
    assertTrue(refused.endsWith("do not allow b.test\n"), refused);
    assertEquals(
        "reset", program.ask("send", address, program.server().port(), Hello.of("b.test")));
    assertTrue(
        program
            .ask("send", address, program.server().port(), Hello.of("a.test"))
            .startsWith("here \026\003"));
    assertTrue(
        program.ask(address, get(SERVERS)).startsWith("HTTP/1.1 403"), "an address is no name");
  }

  @Test
  void whatTheHostDeniesIsNotReachedByAName() throws Exception {
    program.confine(names("shut.test", "nowhere.test"));
    assertTrue(program.ask(ELSEWHERE, get("shut.test")).startsWith("HTTP/1.1 403"));
    assertTrue(program.ask(ELSEWHERE, get("nowhere.test")).startsWith("HTTP/1.1 502"));
    assertEquals("PermissionError", program.ask("127.66.0.1", get("shut.test")));
  }

  @Test
  void allElseIsDenied() throws Exception {
    program.confine(names("a.test", "127.77.0.0/16"));
    assertEquals("here hello", program.ask(SERVERS, "hello"), "an address that is allowed");
    assertEquals("PermissionError", program.ask("udp", ELSEWHERE, 99, new byte[1]));
    assertTrue(program.ask(ELSEWHERE, "no request\r\n\r\n").startsWith("HTTP/1.1 400"));
    assertEquals(List.of("hello"), program.server().got());
  }

  @Test
  void withoutThisProcessNothingPasses() throws Exception {
    program.confine(names("a.test"));
    assertEquals("here " + get("a.test"), program.ask(ELSEWHERE, get("a.test")));
    program.filter().close();
    String without = program.ask(ELSEWHERE, get("a.test"));
    assertTrue(List.of("ConnectionRefusedError", "reset").contains(without), without);
    try (EgressFilter next = program.another()) {
      next.confine("one", program.pid(), OWN, names("a.test"));
      assertEquals("here " + get("a.test"), program.ask(ELSEWHERE, get("a.test")));
      program.end(next);
    }
  }

  @Test
  void rulesAboutRequestsServeTheirNames() throws Exception {
    RequestInterceptor rules =
        new RequestInterceptor() {
          @Override
          public boolean intercepts(String name) {
            return name.equals("a.test");
          }

          @Override
          public void intercept(String name, boolean tls, InterceptedConnection connection) {
            var unused =
                connection
                    .connect(name)
                    .thenAccept(
                        host -> {
                          ChannelStreams.write(
                              connection.guest(),
                              Unpooled.copiedBuffer("served: ", StandardCharsets.US_ASCII));
                          ChannelStreams.replaceHandlers(
                              host, new ByteForwarder(connection.guest(), connection));
                          ChannelStreams.replaceHandlers(
                              connection.guest(), new ByteForwarder(host, connection));
                        });
          }
        };
    program.filter().confine("one", program.pid(), OWN, names("*.test", "a.test"), rules);
    assertEquals("served: here " + get("A.test"), program.ask(ELSEWHERE, get("A.test")));
    assertEquals("here " + get("below.a.test"), program.ask(ELSEWHERE, get("below.a.test")));
    program.filter().change("one", OWN, NetworkRules.NONE, rules);
    assertEquals("here " + get("A.test"), program.ask(SERVERS, get("A.test")), "not port 80");
  }
}
