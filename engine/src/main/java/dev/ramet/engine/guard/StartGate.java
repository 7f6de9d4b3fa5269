// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import dev.ramet.engine.space.FreeSpace;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets machines start unless the host holds the running ones for lack of space, and shows those
 * that are being started to the guard, which no manifest names yet. A start that the guard
 * overtakes fails like one that begins too late: its machine would use up what is left.
 * Thread-safe.
 */
public final class StartGate {
  /** Longer than any stop for a moment takes, unless the storage hangs. */
  private static final Duration MOMENT = Duration.ofSeconds(30);

  private final List<Start> starts = new ArrayList<>();

  /** The file system that is nearly full, for people; null while machines may start. */
  private @Nullable String full;

  /** Whether also machines that their hypervisor stops in time may not start. */
  private boolean all;

  /** Whether all machines stand still for a moment. */
  private boolean moment;

  /**
   * Admits a start. Close it if the start fails.
   *
   * @param sandboxId the sandbox that the machine is for
   * @param stops whether the hypervisor stops machines whose disk is full
   * @throws RametException {@code NO_SPACE} while machines are held
   */
  public synchronized Start admit(String sandboxId, boolean stops) {
    require("start " + sandboxId, stops);
    Start start = new Start(sandboxId, stops);
    starts.add(start);
    return start;
  }

  /**
   * Refuses work that starts a machine, before anything is changed for it.
   *
   * @param doing the work, as the rest of a sentence that begins with "cannot"
   * @param stops whether the hypervisor stops machines whose disk is full
   * @throws RametException {@code NO_SPACE} while machines are held
   */
  public synchronized void require(String doing, boolean stops) {
    String now = full;
    if (now != null && (all || !stops)) {
      throw refusal(doing, now);
    }
  }

  private static RametException refusal(String doing, String full) {
    return new RametException(
        ErrorCode.NO_SPACE,
        "cannot " + doing + ": " + full + ", and no machine starts until there is room",
        FreeSpace.REMEDY,
        null);
  }

  /**
   * Refuses starts from now on.
   *
   * @param why the file system that is nearly full, for people
   * @param every whether also machines that their hypervisor stops in time
   */
  synchronized void close(String why, boolean every) {
    full = why;
    all = every;
    moment = false;
    notifyAll();
  }

  /** Lets starts wait until {@link #open} or {@link #close}. */
  synchronized void closeForMoment() {
    moment = true;
  }

  /** Lets machines start again. */
  synchronized void open() {
    full = null;
    moment = false;
    notifyAll();
  }

  /** Returns the starts whose machines run already. */
  synchronized List<Start> running() {
    return starts.stream().filter(start -> start.vm != null).toList();
  }

  /** Forgets the start of a machine that a manifest names now, or that has ended. */
  synchronized void forget(RunningVm vm) {
    starts.removeIf(start -> start.vm == vm);
  }

  /** Waits until a stop for a moment is over. */
  private void awaitMoment() {
    long end = System.nanoTime() + MOMENT.toNanos();
    try {
      for (long left = MOMENT.toNanos(); moment && left > 0; left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while machines stand still", e);
    }
  }

  /** The start of one machine. Thread-safe. */
  public final class Start implements AutoCloseable {
    private final String sandboxId;
    private final boolean stops;
    private @Nullable RunningVm vm;
    private boolean finished;

    /** The file system for which this start was refused after its machine had begun to run. */
    private @Nullable String refused;

    private Start(String sandboxId, boolean stops) {
      this.sandboxId = sandboxId;
      this.stops = stops;
    }

    String sandboxId() {
      return sandboxId;
    }

    @Nullable RunningVm vm() {
      synchronized (StartGate.this) {
        return vm;
      }
    }

    /**
     * Checks right before a machine begins to run that it may, and waits while all machines stand
     * still for a moment.
     *
     * @throws RametException {@code NO_SPACE} while machines are held
     */
    public void check() {
      synchronized (StartGate.this) {
        awaitMoment();
        require("start " + sandboxId, stops);
      }
    }

    /**
     * Hands a machine that has begun to run over to the guard. One that has begun while all
     * machines stand still for a moment stands still as well.
     *
     * @throws RametException {@code NO_SPACE} while machines are held; the caller ends the machine
     */
    public void runs(RunningVm running) {
      boolean wait;
      synchronized (StartGate.this) {
        wait = moment;
        if (!wait) {
          enter(running);
        }
      }
      if (wait) {
        try (PausedVm still = running.pause()) {
          synchronized (StartGate.this) {
            awaitMoment();
            enter(running);
          }
        }
      }
    }

    private void enter(RunningVm running) {
      require("start " + sandboxId, Capability.guarded(running, StopsOnDiskError.class) != null);
      vm = running;
    }

    /**
     * Ends the start: from now on the guard holds the machine instead of refusing it.
     *
     * @throws RametException {@code NO_SPACE} if the guard has refused it meanwhile
     */
    public void finish() {
      synchronized (StartGate.this) {
        String why = refused;
        if (why != null) {
          throw refusal("start " + sandboxId, why);
        }
        finished = true;
      }
    }

    /** Refuses the start; returns false if it has ended. */
    boolean refuse(String why) {
      synchronized (StartGate.this) {
        boolean first = !finished && refused == null;
        if (first) {
          refused = why;
        }
        return first;
      }
    }

    /** Returns the error of a start that has failed: the guard's refusal if that is the cause. */
    public RametException failure(RametException e) {
      synchronized (StartGate.this) {
        String why = refused;
        if (why == null || e.code() == ErrorCode.NO_SPACE) {
          return e;
        }
        RametException refusal = refusal("start " + sandboxId, why);
        refusal.addSuppressed(e);
        return refusal;
      }
    }

    /** Forgets a start that has failed. */
    @Override
    public void close() {
      synchronized (StartGate.this) {
        starts.remove(this);
      }
    }
  }
}
