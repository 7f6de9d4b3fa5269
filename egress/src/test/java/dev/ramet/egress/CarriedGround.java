// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.rest;

import dev.ramet.egress.proxy.RequestInterceptor;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Ground for requests that the proxy checks and passes on as they are. */
@Timeout(900)
abstract class CarriedGround {
  static final String GET = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";

  @AutoClose final ProxyHarness net = new ProxyHarness();
  final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() throws Exception {
    net.proxy(RequestInterceptor.NONE, "a.test", "c.test", "never.test");
  }

  /** A host that keeps all it reads, with how it ended, and answers nothing. */
  void listening() throws Exception {
    net.host(socket -> seen.add(rest(socket)));
  }

  String seen() throws InterruptedException {
    return String.valueOf(seen.poll(60, TimeUnit.SECONDS));
  }
}
