// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a plugin's mistakes end. Around everything that a plugin opens stands an object of the same
 * type that lets through what the contract knows, and turns all else into an error that names the
 * plugin: whatever is thrown that is no {@link RametException}, a null, an answer that is not what
 * was asked for. So the engine has one kind of failure to clean up after, whoever made it.
 *
 * <p>A call that goes well costs a virtual call and the look at its answer. Immutable.
 */
final class Guard {
  private static final System.Logger LOG = System.getLogger(Guard.class.getName());

  private final String id;
  private final String who;

  Guard(Service.Found found) {
    this.id = found.id();
    Origin origin = found.origin();
    this.who =
        "the "
            + found.service().label()
            + " plugin "
            + found.id()
            + " ("
            + (origin.plugin().equals(Origin.BUILT_IN) ? "" : "plugins/" + origin.plugin() + ": ")
            + origin.describe()
            + ")";
  }

  /** The plugin's id. */
  String id() {
    return id;
  }

  /** The error for what a call threw: itself if the contract knows it. */
  RametException failed(String call, Throwable thrown) {
    if (thrown instanceof RametException known) {
      return known;
    }
    LOG.log(System.Logger.Level.WARNING, who + " failed in " + call, thrown);
    return fault(ErrorCode.INTERNAL, who + " failed in " + call + "(): " + thrown, thrown);
  }

  /** The error for an answer that the contract does not allow. */
  RametException broken(String call, String answer) {
    LOG.log(System.Logger.Level.WARNING, "{0} broke its contract in {1}: {2}", who, call, answer);
    return fault(
        ErrorCode.INTERNAL,
        who + " broke its contract in " + call + "(): it answered " + answer,
        null);
  }

  /** The error for a call that does not end. */
  RametException overdue(String call, Duration deadline) {
    LOG.log(System.Logger.Level.WARNING, "{0} does not end {1}()", who, call);
    return fault(
        ErrorCode.DEADLINE_EXCEEDED,
        who + " did not end " + call + "() within its deadline of " + deadline.toMillis() + " ms",
        null);
  }

  private static RametException fault(ErrorCode code, String message, @Nullable Throwable thrown) {
    return new RametException(
        code,
        message,
        "this is a defect of the plugin: report it to its author, with the host's log",
        new PluginFault(thrown));
  }

  /** Whether it says that a plugin broke its contract, after which all has to be looked at. */
  static boolean blames(RametException failure) {
    return failure.getCause() instanceof PluginFault;
  }

  /** An answer that must be there. */
  <T> T present(String call, @Nullable T answer) {
    if (answer == null) {
      throw broken(call, "null");
    }
    return answer;
  }

  /** A list without gaps, and of the engine's own: a plugin's may change, or throw, later on. */
  <T> List<T> whole(String call, @Nullable List<T> answer) {
    List<T> copy = new ArrayList<>(present(call, answer));
    for (T element : copy) {
      present(call, element);
    }
    return Collections.unmodifiableList(copy);
  }

  /** Does what cleans up after a failure, which must not be hidden by another one. */
  void quietly(String what, Runnable action) {
    try {
      action.run();
    } catch (Throwable e) { // whatever a plugin throws, the first failure is the one to tell
      LOG.log(System.Logger.Level.WARNING, who + ": could not " + what, e);
    }
  }

  @Override
  public String toString() {
    return who;
  }
}
