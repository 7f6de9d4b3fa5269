// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EgressProxy;
import dev.ramet.engine.NetworkRules;
import dev.ramet.engine.internal.Ids;
import dev.ramet.engine.relay.HeaderRules;
import dev.ramet.engine.relay.Upstream;
import dev.ramet.testing.Require;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rules by names of hosts and a proxy, for a real process: a program that connects to where a line
 * of its input says, sends what it says, and answers what came back. Servers are at addresses of
 * the loopback network, which names lead to that only the test knows.
 */
final class RelayedTest {
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
  private static final String OWN = "127.99.0.1";
  private static final String ELSEWHERE = "192.0.2.77";
  private static final Map<String, String> NAMES =
      Map.of("a.test", "127.77.0.1", "below.a.test", "127.77.0.1", "shut.test", "127.66.0.1");

  private final String prefix = "ramet-test-" + Ids.next('t') + "-";
  private final List<String> lookups = new CopyOnWriteArrayList<>();
  private final EgressFilter filter =
      new EgressFilter(prefix, List.of(Cidr.parse("127.66.0.0/16")), this::lookup);
  private Process process;
  private BufferedReader answers;
  private Peer server;
  private Peer proxy;

  private List<InetAddress> lookup(String name) throws UnknownHostException {
    lookups.add(name);
    String address = NAMES.get(name);
    if (address == null && Character.isLetter(name.charAt(0))) {
      throw new UnknownHostException(name);
    }
    return List.of(InetAddress.getByName(address == null ? name : address));
  }

  /** Accepts connections, answers each as it is told to, and keeps what came. */
  private static final class Peer implements AutoCloseable {
    private final ServerSocket listener;
    private final List<String> got = new CopyOnWriteArrayList<>();

    interface Serving {
      void serve(Socket client, List<String> got) throws IOException;
    }

    Peer(String address, Serving serving) throws IOException {
      listener = new ServerSocket(0, 50, InetAddress.getByName(address));
      Thread thread =
          new Thread(
              () -> {
                while (!listener.isClosed()) {
                  try (Socket client = listener.accept()) {
                    serving.serve(client, got);
                  } catch (IOException e) {
                    got.add("failed: " + e.getMessage());
                  }
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    int port() {
      return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  @BeforeEach
  void start() throws IOException {
    Require.feature("egress", filter.usable(), filter.detail());
    process = new ProcessBuilder("python3", "-uc", PROGRAM).redirectErrorStream(true).start();
    answers =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    server = new Peer("127.77.0.1", RelayedTest::echoOnce);
    proxy = new Peer("127.77.0.2", RelayedTest::proxy);
  }

  /** Answers what it reads first, then ends. */
  private static void echoOnce(Socket client, List<String> got) throws IOException {
    byte[] bytes = new byte[4096];
    int n = client.getInputStream().read(bytes);
    String read = n < 0 ? "" : new String(bytes, 0, n, StandardCharsets.ISO_8859_1);
    got.add(read);
    client.getOutputStream().write(("here " + read).getBytes(StandardCharsets.ISO_8859_1));
  }

  /** A proxy of SOCKS5 that connects nowhere, but says what it was asked for. */
  private static void proxy(Socket client, List<String> got) throws IOException {
    InputStream in = client.getInputStream();
    OutputStream out = client.getOutputStream();
    byte[] ways = in.readNBytes(in.readNBytes(2)[1]);
    boolean user = ways.length == 2;
    out.write(new byte[] {5, (byte) (user ? 2 : 0)});
    if (user) {
      String name = new String(in.readNBytes(in.readNBytes(2)[1]), StandardCharsets.UTF_8);
      String word = new String(in.readNBytes(in.read()), StandardCharsets.UTF_8);
      boolean known = name.equals("user") && word.equals("word");
      out.write(new byte[] {1, (byte) (known ? 0 : 1)});
      if (!known) {
        got.add("a stranger");
        return;
      }
    }
    byte[] head = in.readNBytes(4);
    String host =
        head[3] == 3
            ? new String(in.readNBytes(in.read()), StandardCharsets.US_ASCII)
            : InetAddress.getByAddress(in.readNBytes(head[3] == 1 ? 4 : 16)).getHostAddress();
    got.add(host + " " + (in.read() << 8 | in.read()));
    out.write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
    echoOnce(client, got);
  }

  @AfterEach
  void stop() throws Exception {
    if (process != null) {
      process.destroyForcibly().waitFor();
      answers.close();
      server.close();
      proxy.close();
    }
    release(filter);
    filter.close();
    assertEquals(List.of(), groups(), "what the filter made");
  }

  /** A group is removed once its process, which has ended, is gone from it. */
  private void release(EgressFilter of) throws Exception {
    for (int i = 0; i < 1200 && !groups().isEmpty(); i++) {
      of.release("one");
      Thread.sleep(50);
    }
  }

  private List<String> groups() throws IOException {
    return ControlGroups.find(prefix).map(ControlGroups::names).orElse(List.of());
  }

  private String ask(String how, String host, int port, byte[] data) throws IOException {
    String line = how + " " + host + " " + port + " " + Base64.getEncoder().encodeToString(data);
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
    String answer = String.valueOf(answers.readLine());
    return answer.startsWith("got ")
        ? new String(Base64.getDecoder().decode(answer.substring(4)), StandardCharsets.ISO_8859_1)
        : answer;
  }

  private String ask(String host, String data) throws IOException {
    return ask("send", host, server.port(), data.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String get(String host) {
    return "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  }

  private static NetworkRules names(String... allowed) {
    return new NetworkRules(List.of(allowed), List.of(NetworkRules.EVERYTHING));
  }

  private void confine(NetworkRules rules) {
    filter.confine("one", process.pid(), OWN, rules);
  }

  @ParameterizedTest
  @ValueSource(strings = {ELSEWHERE, "2001:db8::77"})
  void aNameIsReachedWhateverTheAddress(String address) throws Exception {
    confine(names("a.test", "*.a.test"));
    assertEquals("here " + get("a.test"), ask(address, get("a.test")));
    assertEquals("here " + get("below.A.test:80"), ask(address, get("below.A.test:80")));
    assertEquals(List.of("a.test", "below.a.test"), lookups);
    String refused = ask(address, get("b.test"));
    assertTrue(refused.startsWith("HTTP/1.1 403 Forbidden\r\n"), refused);
    assertTrue(refused.endsWith("do not allow b.test\n"), refused);
    assertEquals("reset", ask("send", address, server.port(), Hello.of("b.test")));
    assertTrue(ask("send", address, server.port(), Hello.of("a.test")).startsWith("here \026\003"));
    assertTrue(ask(address, get("127.77.0.1")).startsWith("HTTP/1.1 403"), "an address is no name");
  }

  @Test
  void whatTheHostDeniesIsNotReachedByAName() throws Exception {
    confine(names("shut.test", "nowhere.test"));
    assertTrue(ask(ELSEWHERE, get("shut.test")).startsWith("HTTP/1.1 403"));
    assertTrue(ask(ELSEWHERE, get("nowhere.test")).startsWith("HTTP/1.1 502"));
    assertEquals("PermissionError", ask("127.66.0.1", get("shut.test")));
  }

  @Test
  void allElseIsDenied() throws Exception {
    confine(names("a.test", "127.77.0.0/16"));
    assertEquals("here hello", ask("127.77.0.1", "hello"), "an address that is allowed");
    assertEquals("PermissionError", ask("udp", ELSEWHERE, 99, new byte[1]));
    assertTrue(ask(ELSEWHERE, "no request\r\n\r\n").startsWith("HTTP/1.1 400"));
    assertEquals(List.of("hello"), server.got);
  }

  @Test
  void furtherRequestsAreLookedAt() throws Exception {
    confine(names("a.test"));
    try (Peer patient =
        new Peer(
            "127.77.0.1",
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
      assertEquals(".", ask("keep", ELSEWHERE, patient.port(), first));
      assertEquals(".", ask("more", ELSEWHERE, patient.port(), first));
      byte[] other = get("b.test").getBytes(StandardCharsets.US_ASCII);
      assertEquals("reset", ask("more", ELSEWHERE, patient.port(), other));
      assertEquals(List.of(get("a.test"), get("a.test")), List.copyOf(patient.got).subList(0, 2));
    }
  }

  @Test
  void connectionsThatAreRefusedNowEnd() throws Exception {
    confine(names("a.test"));
    try (Peer patient =
        new Peer(
            "127.77.0.1",
            (client, got) -> {
              client.getOutputStream().write('.');
              client.getInputStream().readAllBytes();
            })) {
      byte[] first = get("a.test").getBytes(StandardCharsets.US_ASCII);
      assertEquals(".", ask("keep", ELSEWHERE, patient.port(), first));
      filter.change("one", OWN, names("a.test", "b.test"));
      filter.change("one", OWN, names("b.test"));
      assertEquals("reset", ask("more", ELSEWHERE, patient.port(), first));
    }
    assertTrue(ask(ELSEWHERE, get("a.test")).startsWith("HTTP/1.1 403"));
    filter.change("one", OWN, new NetworkRules(List.of(), List.of(NetworkRules.EVERYTHING)));
    assertEquals("PermissionError", ask(ELSEWHERE, get("a.test")));
  }

  @Test
  void withoutThisProcessNothingPasses() throws Exception {
    confine(names("a.test"));
    assertEquals("here " + get("a.test"), ask(ELSEWHERE, get("a.test")));
    filter.close();
    String without = ask(ELSEWHERE, get("a.test"));
    assertTrue(List.of("ConnectionRefusedError", "reset").contains(without), without);
    try (EgressFilter next = new EgressFilter(prefix, List.of(), this::lookup)) {
      next.confine("one", process.pid(), OWN, names("a.test"));
      assertEquals("here " + get("a.test"), ask(ELSEWHERE, get("a.test")));
      process.destroyForcibly().waitFor();
      release(next);
    }
  }

  @Test
  void asManyRulesAsThereMayBe() throws Exception {
    List<String> networks =
        IntStream.range(0, NetworkRules.MOST - 2)
            .mapToObj(i -> "2001:db8:" + Integer.toHexString(i) + "::/47")
            .toList();
    NetworkRules most =
        new NetworkRules(
            Stream.concat(networks.stream(), Stream.of("a.test")).toList(),
            Stream.concat(networks.stream(), Stream.of(NetworkRules.EVERYTHING)).toList());
    confine(most);
    assertEquals("here " + get("a.test"), ask(ELSEWHERE, get("a.test")));
    confine(through(most, null));
    assertEquals("here " + get("a.test"), ask("2001:ffff::1", get("a.test")));
    assertEquals("a.test " + server.port(), proxy.got.get(0));
  }

  /** What a server can be asked to change to would carry requests that nobody looks at. */
  @Test
  void otherProtocolsAreNotChangedTo() throws Exception {
    confine(names("a.test"));
    String plain = "GET / HTTP/1.1\r\nHost: a.test\r\n";
    String h2 = "Upgrade: h2c\r\nHTTP2-Settings: x\r\nConnection: Upgrade, HTTP2-Settings\r\n";
    assertEquals("here " + plain + "\r\n", ask(ELSEWHERE, plain + h2 + "\r\n"));
    String hidden = plain + "Connection: host\r\n\r\n";
    assertTrue(ask(ELSEWHERE, hidden).startsWith("HTTP/1.1 400"));
    for (String line : List.of("GET http://b.test/ HTTP/1.1", "CONNECT b.test:443 HTTP/1.1")) {
      String tunnel = line + "\r\nHost: a.test\r\n\r\n";
      assertTrue(ask(ELSEWHERE, tunnel).startsWith("HTTP/1.1 400"), line);
    }
    assertEquals(1, server.got.size());
  }

  @ParameterizedTest
  @ValueSource(ints = {101, 200})
  void aWebSocketIsOneWhenTheServerSaysSo(int status) throws Exception {
    confine(names("a.test"));
    try (Peer socket =
        new Peer(
            "127.77.0.1",
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
      String answer = ask("keep", ELSEWHERE, socket.port(), first);
      assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
      assertEquals(request, socket.got.get(0));
      byte[] other = get("b.test").getBytes(StandardCharsets.US_ASCII);
      String then = ask("more", ELSEWHERE, socket.port(), other);
      assertEquals(status == 101 ? "more" : "reset", then);
      if (status == 101) {
        assertEquals(get("b.test"), socket.got.get(1));
      }
    }
  }

  /** What is pressed into a connection waits at its other end, and all of it arrives. */
  @Test
  void muchPassesBothWays() throws Exception {
    confine(through(NetworkRules.NONE, null));
    String much = "x".repeat(3 << 20);
    try (Peer echo =
        new Peer(
            "127.77.0.2",
            (client, got) -> {
              InputStream in = client.getInputStream();
              in.readNBytes(3);
              client.getOutputStream().write(new byte[] {5, 0});
              in.readNBytes(10);
              client.getOutputStream().write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
              byte[] all = in.readNBytes(much.length());
              client.getOutputStream().write(all);
            })) {
      filter.change(
          "one",
          OWN,
          NetworkRules.NONE.through(new EgressProxy("127.77.0.2", echo.port(), null, null)));
      assertTrue(much.equals(ask(ELSEWHERE, much)));
    }
  }

  private NetworkRules through(NetworkRules rules, @Nullable String user) {
    String word = user == null ? null : "word";
    return rules.through(new EgressProxy("127.77.0.2", proxy.port(), user, word));
  }

  @Test
  void allLeavesThroughTheProxy() throws Exception {
    confine(through(NetworkRules.NONE, "user"));
    assertEquals(
        "here hello", ask("send", ELSEWHERE, 7777, "hello".getBytes(StandardCharsets.US_ASCII)));
    assertEquals(
        "here hello", ask("send", "2001:db8::77", 80, "hello".getBytes(StandardCharsets.US_ASCII)));
    assertEquals("PermissionError", ask("udp", ELSEWHERE, 99, new byte[1]));
    assertEquals(
        List.of("192.0.2.77 7777", "hello", "2001:db8:0:0:0:0:0:77 80", "hello"), proxy.got);
    confine(through(NetworkRules.NONE, "stranger"));
    assertEquals("reset", ask(ELSEWHERE, "hello"));
    assertEquals(List.of(), server.got, "never without it");
  }

  @Test
  void theProxyIsToldNames() throws Exception {
    confine(through(names("a.test", "192.0.2.0/24"), null));
    assertEquals("here " + get("a.test"), ask("198.51.100.1", get("a.test")));
    assertEquals("here hello", ask(ELSEWHERE, "hello"));
    assertEquals(
        List.of("a.test " + server.port(), get("a.test"), "192.0.2.77 " + server.port(), "hello"),
        proxy.got);
    assertTrue(ask("198.51.100.1", get("b.test")).startsWith("HTTP/1.1 403"));
    proxy.close();
    assertTrue(ask("198.51.100.1", get("a.test")).startsWith("HTTP/1.1 502"));
    assertEquals("reset", ask(ELSEWHERE, "hello"));
    assertEquals(List.of(), server.got, "never without it");
  }

  @Test
  void rulesAboutRequestsServeTheirNames() throws Exception {
    HeaderRules rules =
        new HeaderRules() {
          @Override
          public boolean concerns(String name) {
            return name.equals("a.test");
          }

          @Override
          public void serve(
              String name, boolean tls, InputStream fromGuest, OutputStream toGuest, Upstream to)
              throws IOException {
            byte[] read = fromGuest.readNBytes(get("A.test").length());
            try (Socket upstream = to.connect(name)) {
              upstream.getOutputStream().write(read);
              toGuest.write("served: ".getBytes(StandardCharsets.US_ASCII));
              toGuest.write(upstream.getInputStream().readAllBytes());
            }
          }
        };
    filter.confine("one", process.pid(), OWN, names("*.test", "a.test"), rules);
    assertEquals("served: here " + get("A.test"), ask(ELSEWHERE, get("A.test")));
    assertEquals("here " + get("below.a.test"), ask(ELSEWHERE, get("below.a.test")));
    filter.change("one", OWN, NetworkRules.NONE, rules);
    assertEquals("here " + get("A.test"), ask("127.77.0.1", get("A.test")), "not port 80");
  }
}
