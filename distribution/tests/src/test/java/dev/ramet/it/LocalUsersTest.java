// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Attacks a host that root runs as another user of the machine. The same attempts succeed as root,
 * which shows that they would find an open door.
 */
class LocalUsersTest {
  private static final String NOBODY = "65534";
  private static final Map<String, String> SETTINGS =
      Map.of("RAMET_STORAGE_PROVISION", "OFF", "RAMET_STORAGE_BACKEND", "byte-copy");

  @TempDir private Path directory;

  /** The output and exit status of a program run as another user. */
  private record Attempt(int status, String out) {}

  private static Attempt as(String user, String... command) throws Exception {
    List<String> all = new ArrayList<>();
    if (!user.equals("0")) {
      all.addAll(List.of("setpriv", "--reuid", user, "--regid", user, "--clear-groups"));
    }
    all.addAll(List.of(command));
    Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    return new Attempt(process.exitValue(), out);
  }

  private static String status(String user, String... curl) throws Exception {
    List<String> all =
        new ArrayList<>(List.of("curl", "-s", "-o", "/dev/null", "-m", "20", "-w", "%{http_code}"));
    all.addAll(List.of(curl));
    return as(user, all.toArray(String[]::new)).out();
  }

  @Test
  void anotherUserGetsNothing() throws Exception {
    // The parent directories are open, so that only the host's own permissions keep others out.
    Files.setPosixFilePermissions(
        directory, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
    Path root = directory.resolve("data");
    try (Installed host = Installed.serve(root, SETTINGS)) {
      String url = host.uri().toString();
      String socket = root.resolve("ramet.sock").toString();
      String key = root.resolve("local.key").toString();
      String json = "Content-Type: application/json";
      String importing = "{\"name\":\"x\",\"kernel\":\"/vmlinuz\",\"disk\":\"/etc/shadow\"}";
      String exporting = "{\"snapshot\":\"x\",\"directory\":\"/tmp/x\"}";

      for (String path : List.of("/sandboxes", "/templates", "/doctor", "/metrics")) {
        assertEquals("401", status(NOBODY, url + path), path);
        assertEquals("000", status(NOBODY, "--unix-socket", socket, "http://localhost" + path));
        assertEquals("200", status("0", "--unix-socket", socket, "http://localhost" + path), path);
      }
      assertEquals("401", status(NOBODY, "-H", json, "-d", importing, url + "/templates/import"));
      assertEquals("401", status(NOBODY, "-H", json, "-d", exporting, url + "/storage/export"));
      assertEquals("200", status(NOBODY, url + "/health"));

      assertNotEquals(0, as(NOBODY, "cat", key).status());
      String secret = Files.readString(Path.of(key)).strip();
      assertEquals(secret, as("0", "cat", key).out().strip());
      assertEquals("200", status("0", "-H", "X-API-Key: " + secret, url + "/doctor"));
      assertEquals(secret, host.run("key", "local").out().strip());

      // The administrator's command line needs no key, and the audit log names its user.
      assertEquals(3, host.run("sandbox", "kill", "nosuchsandbox").status());
      JsonNode last = null;
      for (String line : Files.readAllLines(root.resolve("audit.log"))) {
        last = new ObjectMapper().readTree(line);
        assertFalse(line.contains(secret));
      }
      assertEquals("root", java.util.Objects.requireNonNull(last).at("/peer/user").asText());
      assertEquals("local", last.path("key").asText());
    }
  }

  @Test
  void aHostTakesNoFilesUnlessItIsTold() throws Exception {
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.put("RAMET_EXCHANGE_DIRECTORIES", "");
    try (Installed host = Installed.serve(directory.resolve("data"), settings)) {
      Installed.Run run =
          host.run("storage", "import", Files.createDirectory(directory.resolve("x")).toString());
      assertEquals(2, run.status(), run.err());
      assertTrue(run.err().contains("ramet.exchange-directories"), run.err());
    }
  }

  /**
   * The command line must not send the key to another user's program that took the port of a
   * stopped host.
   */
  @Test
  void theKeyIsShownToNobodyElse() throws Exception {
    Path root = Files.createDirectory(directory.resolve("data"));
    String secret = "e2b_" + "0123456789".repeat(4);
    Files.writeString(root.resolve("local.key"), secret + "\n");
    assertFalse(asked(NOBODY, root).contains(secret));
    assertTrue(asked("0", root).contains(secret), "root's listener may be the host");
  }

  /**
   * Returns the data that the command line sends to a user's program listening in the host's place.
   */
  private String asked(String user, Path root) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String program =
        """
        import socket, sys
        s = socket.create_server(('127.0.0.1', %d))
        print('ready', flush=True)
        c, _ = s.accept()
        print(c.recv(65536).decode(), flush=True)
        c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n[]')
        c.close()
        """
            .formatted(port);
    List<String> command = new ArrayList<>();
    if (!user.equals("0")) {
      command.addAll(List.of("setpriv", "--reuid", user, "--regid", user, "--clear-groups"));
    }
    command.addAll(List.of("/usr/bin/python3", "-c", program));
    Process listener = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      byte[] ready = listener.getInputStream().readNBytes("ready\n".length());
      assertEquals("ready\n", new String(ready, UTF_8));
      Map<String, String> environment =
          Map.of("RAMET_PORT", "" + port, "RAMET_DATA_ROOT", root.toString());
      Installed.Run run = Installed.alone(environment, List.of("sandbox", "ls"));
      assertEquals(0, run.status(), run.err());
      return new String(listener.getInputStream().readAllBytes(), UTF_8);
    } finally {
      listener.destroyForcibly().waitFor();
    }
  }
}
