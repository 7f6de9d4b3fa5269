// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.SandboxRules;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
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

/** When sandboxes end by themselves. Thread-safe. */
public final class SandboxExpiry {
  private static final System.Logger LOG = System.getLogger(SandboxExpiry.class.getName());
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration AGAIN = Duration.ofSeconds(30);

  private final Context context;
  private final ScheduledExecutorService timer;
  private final Executor workers;
  private volatile Killing killing = (live, stillWanted) -> {};
  private volatile Pausing pausing = (live, keepMemory, stillWanted) -> {};
  private volatile boolean closed;

  /**
   * The ends of sandboxes.
   *
   * @param timer knows when they are; never does the work itself
   * @param workers do it
   */
  public SandboxExpiry(Context context, ScheduledExecutorService timer, Executor workers) {
    this.context = context;
    this.timer = timer;
    this.workers = workers;
  }

  /** How a sandbox is killed. */
  public interface Killing {
    /** Kills it if that is still wanted once nothing else is under way. */
    void kill(LiveSandbox live, Predicate<SandboxRecord> stillWanted);
  }

  /** How a sandbox is paused. */
  public interface Pausing {
    /** Pauses it if that is still wanted once nothing else is under way. */
    void pause(LiveSandbox live, boolean keepMemory, Predicate<SandboxRecord> stillWanted);
  }

  /** Says how sandboxes end, as each one's rules want it; once, before any does. */
  public void by(Killing kills, Pausing pauses) {
    killing = kills;
    pausing = pauses;
  }

  /** Ends nothing from here on. */
  void close() {
    closed = true;
  }

  /** Sets when the sandbox ends by itself. */
  void set(LiveSandbox live, @Nullable Instant endAt) {
    try (LiveSandbox.Hold hold = live.hold("set timeout", PATIENCE)) {
      context
          .sandboxes()
          .get(live.id())
          .revise(
              before -> before.ending(endAt, before.terms().lasting(secondsUntil(endAt))),
              context.sandboxes()::save);
    } catch (IOException e) {
      throw Errors.io("cannot set the end of " + live.id(), context.layout().root(), e);
    }
    schedule(live);
  }

  private static @Nullable Long secondsUntil(@Nullable Instant end) {
    // Rounded: a little of the time has passed since the caller added it to the clock.
    return end == null
        ? null
        : Math.max(0, (Duration.between(Instant.now(), end).toMillis() + 500) / 1000);
  }

  /** Has the sandbox end at its time. An end that was moved meanwhile finds nothing to do. */
  void schedule(LiveSandbox live) {
    Instant endAt = live.saved().endAt();
    if (endAt == null || live.saved().state() == SandboxRecord.State.PAUSED) {
      return;
    }
    long nanos = Math.max(0, Duration.between(Instant.now(), endAt).toNanos());
    schedule(live, () -> endIfDue(live, endAt), nanos);
  }

  /** Has an end that failed tried again: what it waits for may come. */
  void again(LiveSandbox live, Runnable end) {
    schedule(live, end, AGAIN.toNanos());
  }

  private void schedule(LiveSandbox live, Runnable end, long nanos) {
    var scheduled = timer.schedule(() -> workers.execute(end), nanos, TimeUnit.NANOSECONDS);
    if (scheduled.isCancelled()) {
      LOG.log(System.Logger.Level.DEBUG, "the engine is closing; {0} ends later", live.id());
    }
  }

  private void endIfDue(LiveSandbox live, Instant endAt) {
    Predicate<SandboxRecord> due =
        record -> endAt.equals(record.endAt()) && record.state() != SandboxRecord.State.PAUSED;
    try {
      SandboxRules rules = live.saved().terms().rules();
      boolean runs = live.saved().state() == SandboxRecord.State.RUNNING;
      if (rules.atEnd() == SandboxRules.AtEnd.PAUSE && runs) {
        pausing.pause(live, rules.keepMemory(), due);
      } else {
        killing.kill(live, due);
      }
    } catch (RametException e) {
      if (e.code() != ErrorCode.NOT_FOUND && !closed) {
        LOG.log(System.Logger.Level.WARNING, "cannot end " + live.id() + " yet", e);
        // Room on the disk, or the end of another operation.
        again(live, () -> endIfDue(live, endAt));
      }
    }
  }
}
