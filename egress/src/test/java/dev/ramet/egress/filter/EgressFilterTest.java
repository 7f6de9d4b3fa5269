// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.rule.Cidr;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.testing.Require;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Filters a real process: a shell that connects to where a line of its input says, and answers
 * whether it could.
 */
final class EgressFilterTest {
  private static final String SCRIPT =
      "while read -r kind host port; do"
          + " if (exec 3<>\"/dev/$kind/$host/$port\" && echo hello >&3) 2>/dev/null;"
          + " then echo yes; else echo no; fi; done";
  private static final String OWN = "127.99.0.1";

  private final TestGroups groups = new TestGroups();
  private final EgressFilter filter = new EgressFilter(groups.prefix(), List.of());
  private Process shell;
  private BufferedReader answers;
  private ServerSocket fourth;
  private ServerSocket sixth;

  @BeforeEach
  void start() throws IOException {
    Require.feature("egress", filter.isUsable(), filter.detail());
    shell = new ProcessBuilder("bash", "-c", SCRIPT).start();
    answers =
        new BufferedReader(
            new InputStreamReader(shell.getInputStream(), StandardCharsets.US_ASCII));
    fourth = new ServerSocket(0, 50, address("127.0.0.1"));
    sixth = new ServerSocket(0, 50, address("::1"));
  }

  @AfterEach
  void stop() throws Exception {
    if (shell != null) {
      shell.destroyForcibly().waitFor();
      answers.close();
      fourth.close();
      sixth.close();
    }
    groups.release(filter);
    assertEquals(List.of(), groups.names(), "what the filter made");
  }

  private static InetAddress address(String literal) throws IOException {
    return InetAddress.getByName(literal);
  }

  private boolean reaches(String host) throws IOException {
    return reaches("tcp", host, (host.contains(":") ? sixth : fourth).getLocalPort());
  }

  private boolean reaches(String kind, String host, int port) throws IOException {
    shell
        .getOutputStream()
        .write((kind + " " + host + " " + port + "\n").getBytes(StandardCharsets.US_ASCII));
    shell.getOutputStream().flush();
    return "yes".equals(answers.readLine());
  }

  private static NetworkRules rules(String allow, String deny) {
    return new NetworkRules(list(allow), list(deny));
  }

  private static List<String> list(String words) {
    return Stream.of(words.split(" ", -1)).filter(word -> !word.equals("-")).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "-, -, true, true",
    "-, 127.0.0.0/8, false, true",
    "-, 127.0.0.1, false, true",
    "-, 126.0.0.0/8 127.0.0.2 128.0.0.0/1 64.0.0.0/3, true, true",
    "-, ::1, true, false",
    "-, ::/64, true, false",
    "-, ::2/128 8000::/1 0:0:0:1::/64, true, true",
    "-, ::/0, true, false",
    "-, 0.0.0.0/0, false, false",
    "127.0.0.1, 0.0.0.0/0, true, false",
    "::1, 0.0.0.0/0, false, true",
    "127.0.0.0/31 ::/127, 0.0.0.0/0, true, true",
    "127.0.0.2 1.0.0.0/8, 0.0.0.0/0, false, false",
    "127.0.0.1, -, true, true",
  })
  void rulesHold(String allow, String deny, boolean ipv4, boolean ipv6) throws Exception {
    filter.confine("one", shell.pid(), OWN, rules(allow, deny));
    assertEquals(ipv4, reaches("127.0.0.1"), "IPv4");
    assertEquals(ipv6, reaches("::1"), "IPv6");
    assertEquals(ipv4, reaches("udp", "127.0.0.1", 9), "UDP");
  }

  @Test
  void rulesChangeWhileItRuns() throws Exception {
    assertTrue(reaches("127.0.0.1"));
    filter.confine("one", shell.pid(), OWN, rules("-", "127.0.0.0/8"));
    assertFalse(reaches("127.0.0.1"));
    filter.change("one", OWN, NetworkRules.NONE);
    assertTrue(reaches("127.0.0.1"));
    filter.change("one", OWN, rules("-", "0.0.0.0/0"));
    assertFalse(reaches("127.0.0.1"));
  }

  @Test
  void whatTheHostDeniesNobodyAllows() throws Exception {
    try (EgressFilter strict =
        new EgressFilter(groups.prefix(), List.of(Cidr.parse("127.0.0.0/8")))) {
      strict.confine("one", shell.pid(), OWN, rules("127.0.0.1 0.0.0.0/0", "-"));
      assertFalse(reaches("127.0.0.1"));
      assertTrue(reaches("::1"));
    }
  }

  @Test
  void nameServersAreReachedAtTheirPort() throws Exception {
    ControlGroups made = ControlGroups.find(groups.prefix()).orElseThrow();
    EgressPolicy policy =
        new EgressPolicy(
            List.of(address("127.0.0.1"), address("::1")),
            List.of(Cidr.parse("127.0.0.0/8"), Cidr.parse("::/64")),
            List.of(),
            List.of());
    Path group = made.make("one");
    MachinePrograms.attach(group, address(OWN), policy, null).close();
    ControlGroups.move(shell.pid(), group);
    for (String host : List.of("127.0.0.1", "::1")) {
      assertTrue(reaches("udp", host, 53), host);
      assertFalse(reaches("udp", host, 54), host);
      assertFalse(reaches(host), host);
    }
    assertFalse(reaches("udp", "127.0.0.2", 53), "no name server");
  }

  @Test
  void asManyRulesAsThereMayBe() throws Exception {
    List<String> networks =
        IntStream.range(0, NetworkRules.MAX)
            .mapToObj(i -> "2001:db8:" + Integer.toHexString(i) + "::/47")
            .toList();
    NetworkRules most = new NetworkRules(networks, networks);
    filter.confine("one", shell.pid(), OWN, most);
    assertTrue(reaches("127.0.0.1"));
    assertTrue(reaches("::1"));
    List<String> others = Collections.nCopies(NetworkRules.MAX - 1, "10.0.0.0/8");
    filter.change(
        "one",
        OWN,
        new NetworkRules(others, Stream.concat(others.stream(), Stream.of("127.0.0.1")).toList()));
    assertFalse(reaches("127.0.0.1"));
  }

  /** Clients of a guest's ports receive responses from any address. */
  @Test
  void answersToOthersPass() throws Exception {
    filter.confine("one", shell.pid(), OWN, rules("-", "0.0.0.0/0"));
    String program =
        "import socket\n"
            + "s = socket.socket()\n"
            + "s.bind(('"
            + OWN
            + "', 0))\n"
            + "s.listen()\n"
            + "print(s.getsockname()[1], flush=True)\n"
            + "c, _ = s.accept()\n"
            + "c.sendall(b'answer')\n";
    Process server =
        new ProcessBuilder("sh", "-c", "read -r go; exec python3 -c \"$0\"", program).start();
    try (BufferedReader told =
        new BufferedReader(
            new InputStreamReader(server.getInputStream(), StandardCharsets.US_ASCII))) {
      filter.confine("one", server.pid(), OWN, rules("-", "0.0.0.0/0"));
      server.getOutputStream().write('\n');
      server.getOutputStream().flush();
      int port = Integer.parseInt(told.readLine());
      try (Socket client = new Socket(OWN, port)) {
        client.setSoTimeout(10_000);
        assertEquals(
            "answer",
            new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
      }
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  @Test
  void whatIsInForceOutlivesTheFilter() throws Exception {
    filter.confine("one", shell.pid(), OWN, rules("-", "127.0.0.0/8"));
    filter.close();
    assertFalse(reaches("127.0.0.1"));
    try (EgressFilter next = new EgressFilter(groups.prefix(), List.of())) {
      assertTrue(next.isUsable());
      next.removeStaleGroups();
      assertEquals(List.of("one"), groups.names(), "it still has a process");
      next.confine("one", shell.pid(), OWN, rules("-", "-"));
      assertTrue(reaches("127.0.0.1"));
      shell.destroyForcibly().waitFor();
      groups.release(next);
    }
    assertEquals(List.of(), groups.names());
  }

  @Test
  void aProcessThatIsGoneIsAnErrorAndLeavesNothing() throws Exception {
    shell.destroyForcibly().waitFor();
    RametException gone =
        assertThrows(
            RametException.class, () -> filter.confine("one", shell.pid(), OWN, NetworkRules.NONE));
    assertEquals(ErrorCode.HOST_UNFIT, gone.code());
    assertEquals(List.of(), groups.names());
  }

  @Test
  void theTrialLeavesNothing() throws Exception {
    assertEquals(List.of(), groups.names());
    assertTrue(Files.exists(Path.of("/proc/self/cgroup")));
  }
}
