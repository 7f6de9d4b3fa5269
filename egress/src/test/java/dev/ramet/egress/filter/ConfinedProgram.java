// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.egress.rule.Cidr;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.testing.Require;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A real process that a filter confines: a program that connects to where a line of its input says,
 * sends what it says, and answers what came back. Servers are at addresses of the loopback network,
 * which names lead to that only this class knows; one of them answers what it reads first.
 */
final class ConfinedProgram implements AutoCloseable {
  private static final String PROGRAM =
      """
      import base64, socket, sys
      kept = None
      for line in sys.stdin:
          how, host, port, data = line.split()
          try:
              if how == 'udp':
                  s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                  s.connect((host, int(port)))
                  s.send(b'x')
                  print('sent', flush=True)
                  continue
              if how == 'more':
                  s = kept
              else:
                  s = socket.create_connection((host, int(port)), timeout=60)
              s.sendall(base64.b64decode(data))
              if how == 'keep' or how == 'more':
                  kept = s
                  print('got ' + base64.b64encode(s.recv(65536)).decode(), flush=True)
                  continue
              got = b''
              while True:
                  more = s.recv(65536)
                  if not more:
                      break
                  got += more
              print('got ' + base64.b64encode(got).decode(), flush=True)
          except (ConnectionResetError, BrokenPipeError):
              print('reset', flush=True)
          except OSError as e:
              print(type(e).__name__, flush=True)
      """;

  /** The address that the machine has for its host. */
  static final String OWN = "127.99.0.1";

  /** The address of servers, to which names lead. */
  static final String SERVERS = "127.77.0.1";

  /** An address that is nobody's. */
  static final String ELSEWHERE = "192.0.2.77";

  private static final Map<String, String> NAMES =
      Map.of("a.test", SERVERS, "below.a.test", SERVERS, "shut.test", "127.66.0.1");

  private final TestGroups groups = new TestGroups();
  private final List<String> lookups = new CopyOnWriteArrayList<>();
  private final EgressFilter filter =
      new EgressFilter(groups.prefix(), List.of(Cidr.parse("127.66.0.0/16")), this::lookup);
  private final Process process;
  private final BufferedReader answers;
  private final Peer server;

  private ConfinedProgram() throws IOException {
    boolean usable = filter.isUsable();
    String detail = filter.detail();
    if (!usable) {
      filter.close();
    }
    Require.feature("egress", usable, detail);
    server = Peer.at(SERVERS, Peer::echoOnce);
    process = new ProcessBuilder("python3", "-uc", PROGRAM).redirectErrorStream(true).start();
    answers =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
  }

  /** Starts one; a host that cannot filter is not fit for the test. */
  static ConfinedProgram start() {
    try {
      return new ConfinedProgram();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Another filter of the same groups and names. */
  EgressFilter another() {
    return new EgressFilter(groups.prefix(), List.of(), this::lookup);
  }

  private List<InetAddress> lookup(String name) throws UnknownHostException {
    lookups.add(name);
    String address = NAMES.get(name);
    if (address == null && Character.isLetter(name.charAt(0))) {
      throw new UnknownHostException(name);
    }
    return List.of(InetAddress.getByName(address == null ? name : address));
  }

  EgressFilter filter() {
    return filter;
  }

  Peer server() {
    return server;
  }

  long pid() {
    return process.pid();
  }

  /** The names that were looked up, in order. */
  List<String> lookups() {
    return lookups;
  }

  void confine(NetworkRules rules) {
    filter.confine("one", pid(), OWN, rules);
  }

  /**
   * Has a connection made.
   *
   * @param how send: until its end; keep: until its first answer; more: on the one that was kept;
   *     udp: without an answer
   * @return the answer, or what went wrong
   */
  String ask(String how, String host, int port, byte[] data) throws IOException {
    String line = how + " " + host + " " + port + " " + Base64.getEncoder().encodeToString(data);
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
    String answer = String.valueOf(answers.readLine());
    return answer.startsWith("got ")
        ? new String(Base64.getDecoder().decode(answer.substring(4)), StandardCharsets.ISO_8859_1)
        : answer;
  }

  /** Asks for the port of the server. */
  String ask(String host, String data) throws IOException {
    return ask("send", host, server.port(), data.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** A request. */
  static String get(String host) {
    return "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  }

  /** Rules that allow these alone. */
  static NetworkRules names(String... allowed) {
    return new NetworkRules(List.of(allowed), List.of(NetworkRules.EVERYTHING));
  }

  /** Ends the process, and waits until the filter that confines it has let go of it. */
  void end(EgressFilter of) throws Exception {
    process.destroyForcibly().waitFor();
    groups.release(of);
  }

  @Override
  public void close() throws Exception {
    end(filter);
    answers.close();
    server.close();
    filter.close();
    assertEquals(List.of(), groups.names(), "what the filter made");
  }
}
