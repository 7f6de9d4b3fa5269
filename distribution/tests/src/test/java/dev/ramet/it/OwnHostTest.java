// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that commands ask the host whose settings are on this machine, while another host answers
 * at the default address. The hosts have a network namespace of their own, because port 3000 of
 * this machine may be taken.
 */
@Timeout(900)
final class OwnHostTest {
  @TempDir private Path directory;
  private final List<Process> started = new ArrayList<>();

  private Path host(String name, String more) throws Exception {
    Path data = directory.resolve(name);
    return Files.writeString(
        directory.resolve(name + ".yaml"),
        """
        ramet:
          data-root: %s
          storage-provision: OFF
          storage-backend: byte-copy
          socket: %s
        %s"""
            .formatted(data, data.resolve("ramet.sock"), more));
  }

  private Process start(List<String> command, Path settings) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("RAMET_CONFIG", settings.toString());
    builder.environment().keySet().removeIf(List.of("RAMET_SERVER", "RAMET_PORT")::contains);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private static BufferedReader lines(Process process) {
    return new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  private static void await(BufferedReader output, String part) throws Exception {
    StringBuilder all = new StringBuilder();
    while (true) {
      String line = output.readLine();
      assertNotNull(line, () -> "no line with " + part + " in " + all);
      if (line.contains(part)) {
        return;
      }
      all.append(line).append('\n');
    }
  }

  @Test
  void anotherHostAtTheDefaultAddressIsNotAsked() throws Exception {
    Path own = host("own", "  port: 4000\n  tls: ON\n");
    Path other = host("other", "");
    try {
      Process namespace =
          start(List.of("unshare", "-n", "sh", "-c", "ip link set lo up; echo up; cat"), own);
      await(lines(namespace), "up");
      List<String> inside = List.of("nsenter", "-n", "-t", "" + namespace.pid());
      for (Path settings : List.of(other, own)) {
        await(lines(start(with(inside, "serve"), settings)), "listening on");
      }
      String doctor = run(with(inside, "doctor"), own);
      assertTrue(doctor.contains(directory.resolve("own").toString()), doctor);
      assertEquals(
          "Host: https://127.0.0.1:4000 (from "
              + own
              + "), through "
              + directory.resolve("own/ramet.sock"),
          doctor.lines().findFirst().orElse(""));
      // By the address alone, as for a user who may not use the socket: TLS is trusted.
      Files.delete(directory.resolve("own/ramet.sock"));
      String listed = run(with(inside, "-v", "sandbox", "ls"), own);
      assertTrue(listed.contains("host: https://127.0.0.1:4000 (from " + own + ")"), listed);
      assertTrue(listed.contains(": 200 after "), listed);
      // The other one answers those whom it belongs to.
      String foreign = run(with(inside, "doctor"), other);
      assertTrue(foreign.startsWith("Host: http://127.0.0.1:3000 (from "), foreign);
    } finally {
      Collections.reverse(started);
      for (Process process : started) {
        process.destroy();
        process.waitFor();
      }
    }
  }

  private static List<String> with(List<String> starter, String... arguments) {
    List<String> command = new ArrayList<>(starter);
    command.add(Installed.program().toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private String run(List<String> command, Path settings) throws Exception {
    Process process = start(command, settings);
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertTrue(process.waitFor(3, TimeUnit.MINUTES), "it does not end");
    return output;
  }
}
