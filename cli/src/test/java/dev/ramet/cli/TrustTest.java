// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests which authorities commands trust, and their messages when TLS fails. */
@Timeout(900)
final class TrustTest {
  @TempDir private Path directory;

  private Path broken(String name) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "no certificate");
  }

  private static FakeHost.Outcome ls(Map<String, String> environment, String... more) {
    String[] args = new String[2 + more.length];
    args[0] = "sandbox";
    args[1] = "ls";
    System.arraycopy(more, 0, args, 2, more.length);
    return FakeHost.run(environment, new byte[0], args);
  }

  @Test
  void theFirstThatIsNamedIsRead() throws IOException {
    Path option = broken("option.pem");
    Path variable = broken("variable.pem");
    Path made = broken("tls/ca.pem");
    Map<String, String> all =
        Map.of("RAMET_TLS", "ON", "RAMET_CA", "" + variable, "RAMET_DATA_ROOT", "" + directory);
    Map<String, String> local = Map.of("RAMET_TLS", "ON", "RAMET_DATA_ROOT", "" + directory);
    FakeHost.Outcome first = ls(all, "--ca", "" + option);
    assertEquals(2, first.status());
    assertTrue(first.err().contains(option + " is not a certificate"), first.err());
    assertTrue(ls(all).err().contains("" + variable));
    for (String name : new String[] {"127.0.0.1:1", "localhost:1", "[::1]:1"}) {
      assertTrue(ls(local, "--server", "https://" + name).err().contains("" + made));
    }
    assertTrue(ls(local).err().contains("" + made));
  }

  /** The authority of a host on this machine must not be used to trust other hosts. */
  @Test
  void othersAreNotTrustedByWhatThisHostMade() throws IOException {
    broken("tls/ca.pem");
    Map<String, String> local = Map.of("RAMET_DATA_ROOT", "" + directory);
    for (String name : new String[] {"0.0.0.0:1", "127.0.0.1@0.0.0.0:1", "localhost:1@0.0.0.0:1"}) {
      FakeHost.Outcome asked = ls(local, "--server", "https://" + name);
      assertEquals(6, asked.status(), asked.err());
    }
    // A host without TLS needs no trust.
    assertEquals(6, ls(local, "--server", "http://127.0.0.1:1").status());
  }

  @Test
  void theWrongProtocolIsNamed() throws IOException {
    FakeHost.Outcome secure = told("HTTP/1.1 400 Bad Request\r\n\r\n", "https://");
    assertEquals(6, secure.status());
    assertTrue(secure.err().contains("no TLS with"), secure.err());
    FakeHost.Outcome plain = told("", "http://");
    assertEquals(6, plain.status());
    assertTrue(plain.err().contains("begins with https://"), plain.err());
  }

  /**
   * Returns the outcome of a command whose server gives this response to every request and closes.
   */
  private static FakeHost.Outcome told(String answer, String scheme) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread thread =
          new Thread(
              () -> {
                while (!server.isClosed()) { // a broken request may be sent again
                  try (Socket taken = server.accept()) {
                    taken.getInputStream().read(new byte[10_000]);
                    taken.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                  } catch (IOException e) {
                    // the command gets an error, or has ended
                  }
                }
              });
      thread.setDaemon(true);
      thread.start();
      return ls(Map.of(), "--server", scheme + "127.0.0.1:" + server.getLocalPort());
    }
  }
}
