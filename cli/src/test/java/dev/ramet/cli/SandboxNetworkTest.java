// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands for egress rules and inbound options of a sandbox. */
final class SandboxNetworkTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @Test
  void createSendsTheRulesOfTheNetwork() {
    host.on("/sandboxes", 201, Answers.sandbox("abc", ""));
    FakeHost.Outcome done =
        host.run(
            "sandbox", "create", "--internet", "--deny-out", "all", "--allow-out", "1.2.3.4,::1");
    assertEquals(0, done.status(), done.err());
    assertEquals(
        "{\"templateID\":\"micro\",\"allow_internet_access\":true,"
            + "\"network\":{\"allowOut\":[\"1.2.3.4\",\"::1\"],\"denyOut\":[\"0.0.0.0/0\"]}}",
        host.requests.get(0).text());
    host.run("sandbox", "create", "--no-internet");
    assertEquals(
        "{\"templateID\":\"micro\",\"allow_internet_access\":false}", host.requests.get(1).text());
  }

  @Test
  void anOptionLeavesTheOtherFieldsOfTheFilesNetwork(@TempDir Path directory) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("sandbox.yaml"),
            "network:\n  denyOut: [0.0.0.0/0]\n  allowPublicTraffic: false\n");
    host.on("/sandboxes", 201, Answers.sandbox("abc", ""));
    FakeHost.Outcome done =
        host.run("sandbox", "create", "-f", file.toString(), "--allow-out", "1.2.3.4");
    assertEquals(0, done.status(), done.err());
    assertEquals(
        "{\"templateID\":\"micro\",\"network\":{\"allowOut\":[\"1.2.3.4\"],"
            + "\"denyOut\":[\"0.0.0.0/0\"],\"allowPublicTraffic\":false}}",
        host.requests.get(0).text());
  }

  @Test
  void networkSetsAndShows() {
    host.on("/sandboxes/abc/network", 204, "");
    String rules = ",\"network\":{\"allowOut\":[],\"denyOut\":[\"10.0.0.0/8\"]}";
    host.on("/sandboxes/abc", 200, Answers.sandbox("abc", rules));
    FakeHost.Outcome set = host.run("sandbox", "network", "abc", "--deny-out", "10.0.0.0/8");
    assertEquals(0, set.status(), set.err());
    assertTrue(set.out().matches("(?s).*Denied +10\\.0\\.0\\.0/8\n.*"), set.out());
    assertEquals("{\"allowOut\":[],\"denyOut\":[\"10.0.0.0/8\"]}", host.requests.get(0).text());
    assertEquals(
        "{\"allowOut\":[],\"denyOut\":[\"10.0.0.0/8\"]}\n",
        host.run("sandbox", "network", "abc", "--json").out());
    host.requests.clear();
    assertEquals(0, host.run("sandbox", "network", "abc", "--clear").status());
    assertEquals("{}", host.requests.get(0).text());
    assertEquals(2, host.run("sandbox", "network", "abc", "--clear", "--deny-out", "all").status());
  }

  @Test
  void namesAndAProxy(@TempDir Path directory) throws Exception {
    host.on("/sandboxes/abc/network", 204, "");
    String rules =
        ",\"network\":{\"allowOut\":[\"*.a.org\"],\"denyOut\":[\"0.0.0.0/0\"],"
            + "\"egressProxy\":{\"address\":\"p:1080\",\"username\":\"me\"}}";
    host.on("/sandboxes/abc", 200, Answers.sandbox("abc", rules));
    Path password = Files.writeString(directory.resolve("password"), "secret\n");
    FakeHost.Outcome set =
        host.run(
            "sandbox",
            "network",
            "abc",
            "--deny-out",
            "all",
            "--allow-out",
            "*.a.org",
            "--egress-proxy",
            "p:1080",
            "--egress-proxy-user",
            "me",
            "--egress-proxy-password-file",
            password.toString());
    assertEquals(0, set.status(), set.err());
    assertEquals(
        "{\"allowOut\":[\"*.a.org\"],\"denyOut\":[\"0.0.0.0/0\"],\"egressProxy\":"
            + "{\"address\":\"p:1080\",\"username\":\"me\",\"password\":\"secret\"}}",
        host.requests.get(0).text());
    assertTrue(set.out().matches("(?s).*Through the proxy +p:1080, as me\n.*"), set.out());
    FakeHost.Outcome alone = host.run("sandbox", "create", "--egress-proxy-user", "me");
    assertEquals(2, alone.status());
  }

  @Test
  void createSendsHowItsPortsAreReached() {
    host.on("/sandboxes", 201, Answers.sandbox("abc", ""));
    FakeHost.Outcome done =
        host.run(
            "sandbox",
            "create",
            "--private",
            "--host-mask",
            "app:${PORT}",
            "--https-port",
            "443,8443",
            "--deny-out",
            "all");
    assertEquals(0, done.status(), done.err());
    assertEquals(
        "{\"templateID\":\"micro\",\"network\":{\"allowOut\":[],"
            + "\"denyOut\":[\"0.0.0.0/0\"],\"allowPublicTraffic\":false,"
            + "\"maskRequestHost\":\"app:${PORT}\",\"httpsPorts\":[443,8443]}}",
        host.requests.get(0).text());
    host.run("sandbox", "create", "--private");
    assertEquals(
        "{\"templateID\":\"micro\",\"network\":{\"allowPublicTraffic\":false}}",
        host.requests.get(1).text());
    assertEquals(2, host.run("sandbox", "create", "--https-port", "many").status());
    assertTrue(host.run("sandbox", "create", "--help").out().contains("${PORT} in it"));
  }

  @Test
  void showTellsHowItsPortsAreReached() {
    String rules =
        ",\"trafficAccessToken\":\"secret\",\"network\":{\"allowOut\":[],\"denyOut\":[],"
            + "\"maskRequestHost\":\"app\",\"httpsPorts\":[443,8443]}";
    host.on("/sandboxes/abc", 200, Answers.sandbox("abc", rules));
    String shown = host.run("sandbox", "show", "abc").out();
    assertTrue(shown.matches("(?s).*Ports want +E2b-Traffic-Access-Token: secret\n.*"), shown);
    assertTrue(shown.matches("(?s).*Host they see +app\n.*"), shown);
    assertTrue(shown.matches("(?s).*Speak TLS +443, 8443\n.*"), shown);
  }
}
