// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Ends sandboxes when their time limit expires: kills or pauses them, as their rules say.
 * Thread-safe.
 */
public final class SandboxExpiry {
  private static final System.Logger LOG = System.getLogger(SandboxExpiry.class.getName());
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final Duration AGAIN = Duration.ofSeconds(30);

  private final SandboxStore sandboxes;
  private final ScheduledExecutorService timer;
  private final Executor workers;
  private final KillAction killing;
  private final PauseAction pausing;
  private volatile boolean closed;

  /**
   * Creates the schedule of sandbox ends.
   *
   * @param timer fires when a sandbox is due; never does the work itself
   * @param workers run the work
   */
  public SandboxExpiry(
      SandboxStore sandboxes,
      ScheduledExecutorService timer,
      Executor workers,
      KillAction killing,
      PauseAction pausing) {
    this.sandboxes = sandboxes;
    this.timer = timer;
    this.workers = workers;
    this.killing = killing;
    this.pausing = pausing;
  }

  /** Kills sandboxes for this class. */
  public interface KillAction {
    /**
     * Waits until no other operation holds the sandbox, then kills it if {@code stillWanted}
     * accepts it.
     */
    void kill(LiveSandbox live, Predicate<SandboxRecord> stillWanted);
  }

  /** Pauses sandboxes for this class. */
  public interface PauseAction {
    /**
     * Waits until no other operation holds the sandbox, then pauses it if {@code stillWanted}
     * accepts it.
     */
    void pause(LiveSandbox live, boolean keepMemory, Predicate<SandboxRecord> stillWanted);
  }

  /** Stops ending sandboxes. */
  void close() {
    closed = true;
  }

  /** Sets when the sandbox ends, or null for never. */
  void set(LiveSandbox live, @Nullable Instant endAt) {
    try (LiveSandbox.Hold hold = live.acquire("set timeout", TIMEOUT)) {
      sandboxes.get(live.id()).updateRecord(before -> withEnd(before, endAt), sandboxes::save);
    } catch (IOException e) {
      throw Errors.ioError("cannot set the timeout of " + live.id(), sandboxes.root(), e);
    }
    schedule(live);
  }

  /** An end that is due at once leaves the duration as it was, for the resume after a pause. */
  private static SandboxRecord withEnd(SandboxRecord before, @Nullable Instant endAt) {
    Long seconds = secondsUntil(endAt);
    return seconds != null && seconds == 0
        ? before.withEndAt(endAt)
        : before.withEnd(endAt, before.terms().withTimeout(seconds));
  }

  private static @Nullable Long secondsUntil(@Nullable Instant end) {
    // Round, because some time has passed since the caller added the duration to the clock.
    return end == null
        ? null
        : Math.max(0, (Duration.between(Instant.now(), end).toMillis() + 500) / 1000);
  }

  /**
   * Schedules the sandbox's end. If the end is moved meanwhile, the scheduled task does nothing.
   */
  void schedule(LiveSandbox live) {
    Instant endAt = live.saved().endAt();
    if (endAt == null || live.saved().state() == SandboxRecord.State.PAUSED) {
      return;
    }
    long nanos = Math.max(0, Duration.between(Instant.now(), endAt).toNanos());
    schedule(live, () -> endIfDue(live, endAt), nanos);
  }

  /** Schedules another attempt to end a sandbox, because the cause of the failure may pass. */
  void retry(LiveSandbox live, Runnable end) {
    schedule(live, end, AGAIN.toNanos());
  }

  private void schedule(LiveSandbox live, Runnable end, long nanos) {
    var scheduled = timer.schedule(() -> workers.execute(end), nanos, TimeUnit.NANOSECONDS);
    if (scheduled.isCancelled()) {
      LOG.log(
          System.Logger.Level.DEBUG, "the engine is closing; {0} will be ended later", live.id());
    }
  }

  /**
   * Logs the end of a sandbox once it is certain, so that the operator can find out why it went.
   */
  private static Predicate<SandboxRecord> announced(Predicate<SandboxRecord> due, String action) {
    return record -> {
      boolean ends = due.test(record);
      if (ends) {
        LOG.log(
            System.Logger.Level.INFO,
            "the time of sandbox {0} is over (timeout {1} s, end {2}): {3}",
            record.id(),
            String.valueOf(record.terms().timeoutSeconds()),
            String.valueOf(record.endAt()),
            action);
      }
      return ends;
    };
  }

  private void endIfDue(LiveSandbox live, Instant endAt) {
    Predicate<SandboxRecord> due =
        record -> endAt.equals(record.endAt()) && record.state() != SandboxRecord.State.PAUSED;
    if (!due.test(live.saved())) {
      // The end was moved, or the sandbox was paused: it must not fail for lack of space.
      return;
    }
    try {
      SandboxRules rules = live.saved().terms().rules();
      boolean runs = live.saved().state() == SandboxRecord.State.RUNNING;
      if (rules.atEnd() == SandboxRules.AtEnd.PAUSE && runs) {
        pausing.pause(live, rules.keepMemory(), announced(due, "pausing it"));
      } else {
        killing.kill(live, announced(due, "killing it and deleting its disk"));
      }
    } catch (RametException e) {
      if (e.code() != ErrorCode.NOT_FOUND && !closed) {
        LOG.log(System.Logger.Level.WARNING, "cannot end " + live.id() + " yet", e);
        // It may have failed for lack of disk space, or because of another operation: both can
        // pass.
        retry(live, () -> endIfDue(live, endAt));
      }
    }
  }
}
