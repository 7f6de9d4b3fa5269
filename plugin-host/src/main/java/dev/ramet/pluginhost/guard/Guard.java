// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.Origin;
import dev.ramet.pluginhost.find.Service;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Confines a plugin's mistakes. Every object that a plugin opens is wrapped in a guarded object of
 * the same type, which passes on what the contract allows and turns everything else into an error
 * that names the plugin: exceptions other than {@link RametException}, nulls, and results that do
 * not match the request. So the engine has only one kind of failure to handle.
 *
 * <p>A successful call costs one virtual call and the check of its result. Immutable.
 */
public final class Guard {
  private static final System.Logger LOG = System.getLogger(Guard.class.getName());

  private final String id;
  private final String displayName;

  public Guard(Service.Found found) {
    this.id = found.id();
    Origin origin = found.origin();
    this.displayName =
        "the "
            + found.service().label()
            + " plugin "
            + found.id()
            + " ("
            + (origin.plugin().equals(Origin.BUILT_IN) ? "" : "plugins/" + origin.plugin() + ": ")
            + origin.describe()
            + ")";
  }

  /** Returns the plugin's id. */
  String id() {
    return id;
  }

  /**
   * Returns the error for an exception of a call: the exception itself if the contract allows it.
   */
  RametException failed(String call, Throwable thrown) {
    if (thrown instanceof RametException known) {
      return known;
    }
    LOG.log(System.Logger.Level.WARNING, displayName + " failed in " + call, thrown);
    return fault(ErrorCode.INTERNAL, displayName + " failed in " + call + "(): " + thrown, thrown);
  }

  /** Returns the error for a result that the contract does not allow. */
  RametException contractViolation(String call, String answer) {
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} broke its contract in {1}: {2}",
        displayName,
        call,
        answer);
    return fault(
        ErrorCode.INTERNAL,
        displayName + " broke its contract in " + call + "(): it returned " + answer,
        null);
  }

  /** Returns the error for a call that does not end. */
  RametException deadlineExceeded(String call, Duration deadline) {
    LOG.log(System.Logger.Level.WARNING, "{0} does not finish {1}()", displayName, call);
    return fault(
        ErrorCode.DEADLINE_EXCEEDED,
        displayName
            + " did not finish "
            + call
            + "() within its deadline of "
            + deadline.toMillis()
            + " ms",
        null);
  }

  private static RametException fault(ErrorCode code, String message, @Nullable Throwable thrown) {
    return new RametException(
        code,
        message,
        "this is a defect in the plugin: report it to its author, with the host's log",
        new PluginFault(thrown));
  }

  /**
   * Returns whether a failure means that a plugin broke its contract, so that its state is unknown.
   */
  static boolean isPluginFault(RametException failure) {
    return failure.getCause() instanceof PluginFault;
  }

  /** Returns a result that must not be null. */
  <T> T requireNonNull(String call, @Nullable T answer) {
    if (answer == null) {
      throw contractViolation(call, "null");
    }
    return answer;
  }

  /** Returns a copy of a list without nulls: the plugin's own list may change, or throw, later. */
  <T> List<T> requireNoNulls(String call, @Nullable List<T> answer) {
    List<T> copy = new ArrayList<>(requireNonNull(call, answer));
    for (T element : copy) {
      requireNonNull(call, element);
    }
    return Collections.unmodifiableList(copy);
  }

  /**
   * Runs a cleanup after a failure. Exceptions are only logged, so that they do not hide the
   * failure.
   */
  void runQuietly(String what, Runnable action) {
    try {
      action.run();
    } catch (Throwable e) { // whatever a plugin throws, the first failure is the one to report
      LOG.log(System.Logger.Level.WARNING, displayName + ": could not " + what, e);
    }
  }

  @Override
  public String toString() {
    return displayName;
  }
}
