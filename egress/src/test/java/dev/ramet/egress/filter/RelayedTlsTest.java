// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.MemorySecrets;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.injection.UpstreamTls;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.RequestRules;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real process that looks at certificates asks by TLS for a host that rules are about. */
final class RelayedTlsTest {
  private static final String PROGRAM =
      """
      import socket, ssl, sys
      for line in sys.stdin:
          port, ca, host = line.split()
          plain = socket.create_connection(('192.0.2.77', int(port)), timeout=60)
          tls = ssl.create_default_context(cafile=ca).wrap_socket(plain, server_hostname='a.test')
          head = 'GET / HTTP/1.1\\r\\nHost: ' + host + '\\r\\nX-Key: own\\r\\nConnection: close\\r\\n\\r\\n'
          tls.sendall(head.encode())
          print(tls.makefile('rb').read().decode().splitlines()[-1], flush=True)
      """;

  @TempDir private Path root;

  @Test
  @Timeout(900)
  void aHeaderIsPutIn() throws Exception {
    TestGroups groups = new TestGroups();
    InetAddress here = InetAddress.getByName("127.77.0.3");
    EgressFilter filter = new EgressFilter(groups.prefix(), List.of(), name -> List.of(here));
    Require.feature("egress", filter.isUsable(), filter.detail());
    GuestAuthority issuer = new GuestAuthority(Files.createDirectory(root.resolve("upstream")));
    Path trusted = Files.writeString(root.resolve("trusted.pem"), issuer.pem());
    MemorySecrets secrets = new MemorySecrets();
    secrets.put("key", "v1");
    GuestAuthority authority = new GuestAuthority(root);
    Path guests = Files.writeString(root.resolve("guest.pem"), authority.pem());
    RequestRules rules =
        RequestRules.parse(Map.of("*.test", List.of(Map.of("X-Key", "${e2b.secrets.key}"))));
    NetworkRules network =
        new NetworkRules(List.of("a.test"), List.of("0.0.0.0/0")).withRequestRules(rules);
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Process process =
        new ProcessBuilder("python3", "-uc", PROGRAM).redirectErrorStream(true).start();
    try (ServerSocket server =
            issuer.context("a.test").getServerSocketFactory().createServerSocket(0, 5, here);
        BufferedReader said =
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      Thread thread = new Thread(() -> answer(server, seen));
      thread.setDaemon(true);
      thread.start();
      filter.confine(
          "one",
          process.pid(),
          "127.99.0.1",
          network,
          new GuestRequests(secrets, secrets::value, authority, new UpstreamTls(trusted))
              .rules(rules));
      String line = server.getLocalPort() + " " + guests;
      ask(process, line + " a.test");
      assertEquals("here", said.readLine());
      // Who reads to the end is told it, also by what this host answers itself.
      ask(process, line + " b.test");
      String refused = said.readLine();
      assertTrue(refused.contains("Host names another host"), refused);
      assertEquals("X-Key: v1", seen.poll(60, TimeUnit.SECONDS));
      assertTrue(seen.isEmpty(), seen.toString());
    } finally {
      process.destroyForcibly().waitFor();
      groups.release(filter);
      filter.close();
    }
    assertEquals(List.of(), groups.names());
  }

  private static void ask(Process process, String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  private static void answer(ServerSocket server, BlockingQueue<String> seen) {
    try (Socket client = server.accept()) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
      for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
        if (line.startsWith("X-Key")) {
          seen.add(line);
        }
      }
      client
          .getOutputStream()
          .write(
              "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhere\n"
                  .getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      seen.add(e.toString());
    }
  }
}
