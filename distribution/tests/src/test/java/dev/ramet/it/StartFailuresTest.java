// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests how the installed host refuses to start: a reason, a remedy, a status, no stack trace. */
@Timeout(900)
final class StartFailuresTest {
  @TempDir private Path directory;

  private Installed.Run serve(Map<String, String> more) throws Exception {
    Map<String, String> environment = new HashMap<>(more);
    environment.putIfAbsent("RAMET_DATA_ROOT", directory.resolve("data").toString());
    environment.put("RAMET_STORAGE_PROVISION", "OFF");
    Installed.Run run = Installed.alone(environment, List.of("serve"));
    assertFalse(run.err().contains("\tat "), run.err());
    return run;
  }

  /** Returns how many lines are not warnings about variables of the tests. */
  private static long lines(Installed.Run run) {
    return run.err().lines().filter(line -> !line.contains("no such setting, ignored")).count();
  }

  @Test
  void aBusyPortTakesTwoLines() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Installed.Run run = serve(Map.of("RAMET_PORT", "" + taken.getLocalPort()));
      assertEquals(4, run.status(), run.err());
      assertEquals(2, lines(run), run.err());
      assertTrue(
          run.err()
              .contains(
                  "cannot listen on 127.0.0.1:"
                      + taken.getLocalPort()
                      + ": another program listens there"),
          run.err());
      assertTrue(run.err().contains("remedy: stop it"), run.err());
    }
    assertFalse(Files.exists(directory.resolve("data")), "nothing is made");
  }

  @Test
  void aFileInThePlaceOfTheDataRoot() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    Installed.Run run = serve(Map.of("RAMET_DATA_ROOT", file + "/data", "RAMET_PORT", "-1"));
    assertEquals(2, run.status(), run.err());
    assertEquals(2, lines(run), run.err());
  }

  @Test
  void aDirectoryInThePlaceOfTheSettings() throws Exception {
    Installed.Run run = serve(Map.of("RAMET_CONFIG", directory.toString()));
    assertEquals(2, run.status(), run.err());
    assertTrue(run.err().contains(directory + ": is a directory, not a file"), run.err());
  }
}
