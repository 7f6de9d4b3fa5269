// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import dev.ramet.certificates.Certificates;
import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.injection.UpstreamTls;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.RequestRules;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ground for requests of guests that get headers. */
@Timeout(900)
abstract class GuestRequestsGround {
  static final String GET = "GET /a?b HTTP/1.1\r\nHost: a.test\r\n";

  @TempDir Path root;
  @AutoClose final ProxyHarness net = new ProxyHarness();
  final BlockingQueue<HttpText> seen = new LinkedBlockingQueue<>();
  final MemorySecrets secrets = new MemorySecrets();
  GuestAuthority authority;
  RequestInterceptor rules;

  @BeforeEach
  void make() throws IOException {
    Path trusted = root.resolve("trusted.pem");
    Files.writeString(trusted, "a test's\n" + Certificates.pem(net.authority.certificate()));
    secrets.put("key", "v1");
    authority = new GuestAuthority(root);
    rules =
        new GuestRequests(secrets, secrets::value, authority, new UpstreamTls(trusted))
            .rules(
                RequestRules.parse(
                    Map.of(
                        "a.test",
                        List.of(Map.of("X-Api-Key", "k ${e2b.secrets.key}", "X-Two", "two")))));
  }

  /** Answers each request with its body. */
  void echo(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    OutputStream out = socket.getOutputStream();
    for (HttpText head = HttpText.read(in); head != null; head = HttpText.read(in)) {
      seen.add(head);
      if (!head.values("Expect").isEmpty()) {
        ProxyHarness.send(socket, "HTTP/1.1 100 Continue\r\n\r\n");
      }
      byte[] body = head.body(in);
      ProxyHarness.send(
          socket,
          "HTTP/1.1 200 OK\r\nAlt-Svc: h3=\":443\"\r\nContent-Length: " + body.length + "\r\n\r\n");
      out.write(body);
      out.flush();
    }
  }

  static String answer(Socket guest) throws IOException {
    HttpText head = Objects.requireNonNull(HttpText.read(guest.getInputStream()));
    return (head.status() + " " + head.text(guest.getInputStream())).strip();
  }
}
