// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.agent.host.GuestCommands;
import dev.ramet.engine.templates.BuildLog;
import dev.ramet.engine.templates.BuildStep;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of a template in a machine, and keeps the user, directory and environment that
 * they set for the steps after them. Used by one thread.
 */
final class StepRunner {
  private static final Duration MAX_COMMAND = Duration.ofHours(1);
  private static final int LAST_LINES = 20;

  private final GuestCommands guest;
  private final BuildLog log;
  private final Map<String, String> environment = new LinkedHashMap<>();
  private @Nullable String user;
  private @Nullable String directory;

  StepRunner(GuestCommands guest, BuildLog log) {
    this.guest = guest;
    this.log = log;
  }

  /**
   * Runs one step.
   *
   * @throws RametException {@code INVALID_ARGUMENT} if the step fails in the guest
   */
  void run(BuildStep step) {
    if (step instanceof BuildStep.Run run) {
      String who = run.user();
      command(run.command(), who == null ? user : who);
    } else if (step instanceof BuildStep.Copy copy) {
      copy(copy);
    } else if (step instanceof BuildStep.Environment set) {
      set.variables().forEach((name, value) -> environment.put(name, expandVariables(value)));
    } else if (step instanceof BuildStep.Workdir change) {
      directory = guest.directory(resolvePath(change.directory()), user);
    } else if (step instanceof BuildStep.User change) {
      guest.stat("~", change.name());
      user = change.name();
    }
  }

  /**
   * Returns the settings made by the steps, for the agent. Settings that are not made are left out.
   */
  Map<String, @Nullable Object> result(@Nullable String start, @Nullable String ready) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("envVars", environment.isEmpty() ? null : environment);
    all.put("user", user);
    all.put("workdir", directory);
    all.put("start", start);
    all.put("ready", ready);
    all.values().removeIf(value -> value == null);
    return all;
  }

  private void command(String line, @Nullable String who) {
    Deque<String> last = new ArrayDeque<>();
    String failure =
        guest.run(
            line,
            who,
            directory,
            environment,
            MAX_COMMAND,
            (error, text) -> {
              if (last.size() == LAST_LINES) {
                last.removeFirst();
              }
              last.addLast(text);
              log.output(error, text);
            });
    if (failure != null) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "the command failed: "
              + failure
              + (last.isEmpty() ? "" : "; its last output:\n" + String.join("\n", last)));
    }
  }

  private void copy(BuildStep.Copy copy) {
    Map<String, @Nullable String> how = new LinkedHashMap<>();
    how.put("src", copy.source());
    how.put("dest", copy.destination());
    how.put("cwd", directory);
    how.put("owner", copy.owner());
    how.put("mode", copy.mode());
    guest.unpack(copy.archive(), user, how);
  }

  /**
   * Resolves a path against the directory set so far. Without one, the agent resolves it against
   * the user's home.
   */
  private String resolvePath(String path) {
    boolean absolute = path.startsWith("/") || path.equals("~") || path.startsWith("~/");
    return absolute || directory == null ? path : directory + "/" + path;
  }

  /** Expands variables with the guest's shell, because some exist in the guest only. */
  private String expandVariables(String value) {
    if (value.indexOf('$') < 0) {
      return value;
    }
    StringBuilder all = new StringBuilder();
    String failure =
        guest.run(
            "printf '%s\\n' \"" + shellQuote(value) + '"',
            user,
            null,
            environment,
            MAX_COMMAND,
            (error, text) -> all.append(all.isEmpty() ? "" : "\n").append(text));
    if (failure != null) {
      throw RametException.invalid("value", "cannot be expanded: " + value + ": " + all);
    }
    return all.toString();
  }

  /** Quotes a text for double quotes of a shell, so that only variables have a meaning. */
  static String shellQuote(String value) {
    StringBuilder quoted = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      char next = i + 1 < value.length() ? value.charAt(i + 1) : ' ';
      if (c == '\\' && next == '$') {
        quoted.append("\\$");
        i++;
        continue;
      }
      boolean variable = c == '$' && (next == '{' || next == '_' || isLetter(next));
      if (c == '"' || c == '\\' || c == '`' || (c == '$' && !variable)) {
        quoted.append('\\');
      }
      quoted.append(c);
    }
    return quoted.toString();
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
}
