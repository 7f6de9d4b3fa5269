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
 * The processes of a recipe: the program and all that it started. They are known by a variable that
 * each inherits, whoever its parent is by now, and whichever host started them.
 */
public final class RecipeProcesses {
  /** Its value is the name of the build's directory, which no other build ever has. */
  static final String MARK = "RAMET_BUILD";

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long LOOK_MILLIS = 20;

  private RecipeProcesses() {}

  /** What a recipe that builds in this directory has in its environment. */
  static String mark(Path directory) {
    return String.valueOf(directory.getFileName());
  }

  /**
   * Ends them and waits until they are gone. Looks again until there is none: one that was ended
   * may just have started another.
   *
   * @throws RametException {@code HOST_UNFIT} when they cannot be ended
   */
  public static void end(Path directory) {
    long end = System.nanoTime() + PATIENCE.toNanos();
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

  /** As it was when the program was started (proc_pid_environ(5)), or empty. */
  private static String environment(long pid) {
    try {
      byte[] variables = Files.readAllBytes(Path.of("/proc/" + pid + "/environ"));
      return "\0" + new String(variables, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // gone, or another user's and so none of ours
    }
  }

  private static void pauseBriefly() {
    try {
      Thread.sleep(LOOK_MILLIS);
    } catch (InterruptedException e) {
      // They have to go all the same.
      Thread.currentThread().interrupt();
      Thread.onSpinWait();
    }
  }
}
