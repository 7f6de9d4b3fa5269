// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests which host and which key commands use, and how they handle a peer that is not a host. */
final class AskedHostTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @Test
  void answersThatAreNotFromRamet() {
    host.on("/sandboxes/a", 404, "<html>");
    assertEquals(3, host.run("sandbox", "show", "a").status());
    host.on("/sandboxes/b", 200, "<html>");
    assertEquals(1, host.run("sandbox", "show", "b").status());
  }

  @Test
  void noHost() {
    String nobody = host.address();
    host.close();
    FakeHost.Outcome done =
        FakeHost.run(Map.of(), new byte[0], "sandbox", "ls", "--server", nobody);
    assertEquals(6, done.status());
    assertEquals(
        "error: no host answers at " + nobody + "\n  start it with: ramet serve\n", done.err());
  }

  @Test
  void theAddressComesFromOptionEnvironmentOrDefault() {
    host.on("/v2/sandboxes", 200, "[]");
    String port = host.address().substring(host.address().lastIndexOf(':') + 1);
    assertEquals(
        0, FakeHost.run(Map.of("RAMET_PORT", port), new byte[0], "sandbox", "ls").status());
    assertEquals(
        0,
        FakeHost.run(
                Map.of("RAMET_SERVER", "http://127.0.0.1:1"),
                new byte[0],
                "--server",
                host.address() + "/",
                "sandbox",
                "ls")
            .status());
    assertEquals(
        2, FakeHost.run(Map.of(), new byte[0], "sandbox", "ls", "--server", "nonsense").status());
  }

  @Test
  void theKeyIsSent() {
    host.on("/v2/sandboxes", 200, "[]");
    FakeHost.run(
        Map.of("RAMET_SERVER", host.address(), "RAMET_API_KEY", "k"), new byte[0], "sandbox", "ls");
    assertEquals("k", host.requests.get(0).headers().getFirst("X-API-KEY"));
  }
}
