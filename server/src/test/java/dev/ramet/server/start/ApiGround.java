// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.server.settings.TestHost;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Ground for tests of routes: a host with an engine that records what it is asked. */
abstract class ApiGround {
  TestHost host = new TestHost(Map.of());

  @BeforeEach
  void ready() throws Exception {
    assertEquals("ok", host.get("/health").json().path("status").asText());
  }

  @AfterEach
  void close() {
    host.close();
  }
}
