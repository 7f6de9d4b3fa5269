// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.tck.storage.World;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs other processes that use the provider under test. */
final class ChildProcess {
  private static final int FIRST_MILLIS = 120;
  private static final int MORE_MILLIS = 37;
  private static final int DIFFERENT_DELAYS = 8;

  private ChildProcess() {}

  /**
   * Runs {@link BusyHost} for a moment and kills it.
   *
   * @return the file of what was acknowledged to it
   */
  static Path killInTheMiddle(World world, Path image, int round) throws Exception {
    Path errors = world.scratch().resolve("errors-" + round);
    Path told = world.scratch().resolve("told-" + round);
    Process process =
        start(
            world,
            errors,
            List.of(),
            "busy",
            image.toString(),
            told.toString(),
            Integer.toString(round));
    try (var output = process.inputReader()) {
      assertEquals("ready", output.readLine(), () -> text(errors));
      Thread.sleep(FIRST_MILLIS + (long) MORE_MILLIS * (round % DIFFERENT_DELAYS));
      assertTrue(process.isAlive(), () -> text(errors));
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertFalse(text(errors).contains(BusyHost.SURPRISE), () -> text(errors));
    return told;
  }

  /**
   * Runs {@link BusyHost} to its end, as an argument of another command, and returns its output.
   */
  static String ask(World world, List<String> behind, String what) throws Exception {
    Path errors = world.scratch().resolve("errors-" + what);
    Process process = start(world, errors, behind, what);
    try (var output = process.inputReader()) {
      String answer = output.readLine();
      process.waitFor();
      return answer == null ? text(errors) : answer;
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static Process start(World world, Path errors, List<String> behind, String... what)
      throws IOException {
    // Everything is on the class path, because this test is about files, not modules.
    String classPath =
        String.join(
            File.pathSeparator,
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", ""),
            Path.of(System.getProperty("basedir", ""), "target", "test-classes").toString());
    List<String> command = new ArrayList<>(behind);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-cp",
            classPath,
            BusyHost.class.getName(),
            world.harness().provider().getClass().getName(),
            world.harness().root().toString()));
    command.addAll(Arrays.asList(what));
    return new ProcessBuilder(command).redirectError(errors.toFile()).start();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
