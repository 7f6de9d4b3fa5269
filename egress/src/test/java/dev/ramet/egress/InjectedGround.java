// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.head;
import static dev.ramet.egress.ProxyHarness.rest;
import static dev.ramet.egress.ProxyHarness.send;

import dev.ramet.certificates.Certificates;
import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.injection.UpstreamTls;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.RequestRules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ground for requests that get a secret. */
@Timeout(900)
abstract class InjectedGround {
  static final String GET = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
  static final String KEY = "X-Key: s3cret\r\n";
  static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  @TempDir Path root;
  @AutoClose final ProxyHarness net = new ProxyHarness();
  final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
  GuestAuthority authority;
  RequestInterceptor rules;

  @BeforeEach
  void start() throws Exception {
    Path trusted = root.resolve("trusted.pem");
    Files.writeString(trusted, Certificates.pem(net.authority.certificate()));
    MemorySecrets secrets = new MemorySecrets();
    secrets.put("key", "s3cret");
    authority = new GuestAuthority(root);
    rules =
        new GuestRequests(secrets, secrets::value, authority, new UpstreamTls(trusted))
            .rules(
                RequestRules.parse(
                    Map.of("a.test", List.of(Map.of("X-Key", "${e2b.secrets.key}")))));
    net.proxy(rules, "a.test", "b.test");
  }

  String seen() throws InterruptedException {
    return String.valueOf(seen.poll(60, TimeUnit.SECONDS));
  }

  /** A host that answers each head with the same. */
  void answering(String answer) throws Exception {
    net.host(
        socket -> {
          for (String head = head(socket); !head.endsWith("(end)"); head = head(socket)) {
            seen.add(head);
            send(socket, answer);
          }
        });
  }

  /** A host that keeps all it reads, with how it ended, and answers nothing. */
  void listening() throws Exception {
    net.host(socket -> seen.add(rest(socket)));
  }
}
