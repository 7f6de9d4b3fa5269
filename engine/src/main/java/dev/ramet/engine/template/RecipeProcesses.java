// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Finds and ends the processes of a recipe: the program and everything it started. They are
 * recognised by an environment variable that each inherits, whatever its parent is by now and
 * whichever host started it.
 */
public final class RecipeProcesses {
  /**
   * Name of the variable. Its value is the name of the build's directory, which no other build ever
   * has.
   */
  static final String MARK = "RAMET_BUILD";

  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 20;

  private RecipeProcesses() {}

  /** Returns the variable's value for a recipe that builds in this directory. */
  static String mark(Path directory) {
    return String.valueOf(directory.getFileName());
  }

  /**
   * Ends the processes and waits until they are gone. Searches repeatedly until there are none,
   * because a process may start another one just before it ends.
   *
   * @throws RametException {@code HOST_UNFIT} if they cannot be ended
   */
  public static void killAll(Path directory) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    List<ProcessHandle> found = find(directory);
    while (!found.isEmpty()) {
      if (System.nanoTime() - end > 0) {
        throw new RametException(
            ErrorCode.HOST_UNFIT,
            "processes of a recipe do not end: "
                + String.join(", ", found.stream().map(each -> "" + each.pid()).toList()),
            "see what they wait for; a start of the host removes what they leave",
            null);
      }
      found.forEach(ProcessHandle::destroyForcibly);
      pauseBriefly();
      found = find(directory);
    }
  }

  private static List<ProcessHandle> find(Path directory) {
    String variable = "\0" + MARK + "=" + mark(directory) + "\0";
    return ProcessHandle.allProcesses()
        .filter(process -> environment(process.pid()).contains(variable))
        .toList();
  }

  /**
   * Returns the environment with which the program was started (proc_pid_environ(5)), or an empty
   * string.
   */
  private static String environment(long pid) {
    try {
      byte[] variables = Files.readAllBytes(Path.of("/proc/" + pid + "/environ"));
      return "\0" + new String(variables, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // gone, or another user's and so not part of a build
    }
  }

  private static void pauseBriefly() {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      // Continue all the same: the processes must be gone.
      Thread.currentThread().interrupt();
      Thread.onSpinWait();
    }
  }
}
