// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Guards a hypervisor, see {@link Guard}. After a failed start it ends whatever the plugin may have
 * left running.
 *
 * @param hypervisor the plugin's hypervisor
 * @param guard names the plugin
 * @param deadlines ends calls that do not end by themselves
 */
record GuardedHypervisor(Hypervisor hypervisor, Guard guard, Deadlines deadlines)
    implements Hypervisor {
  private static final Duration REVIVAL_TIMEOUT = Duration.ofSeconds(5);

  GuardedHypervisor(Hypervisor hypervisor, Guard guard) {
    this(hypervisor, guard, new Deadlines(guard, Deadlines.GRACE));
  }

  @Override
  public RunningVm boot(VmSpec spec, Duration timeout) {
    return guardStart(
        "boot",
        spec,
        timeout,
        () -> hypervisor.boot(spec, timeout),
        late -> late.kill(REVIVAL_TIMEOUT),
        vm -> GuardedRunningVm.wrap(vm, this, spec));
  }

  @Override
  public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
    return guardStart(
        "restore",
        spec,
        timeout,
        () -> hypervisor.restore(spec, saved, timeout),
        PausedVm::kill,
        paused -> new GuardedPausedVm(paused, null, this, spec));
  }

  private <T, G> G guardStart(
      String call,
      VmSpec spec,
      Duration timeout,
      Supplier<@Nullable T> start,
      Consumer<T> kill,
      Function<T, G> guarded) {
    RametException failure;
    try {
      T answer = deadlines.call(call, timeout, start, kill);
      if (answer != null) {
        return guarded.apply(answer);
      }
      failure = guard.contractViolation(call, "null");
    } catch (Throwable e) {
      failure = guard.failed(call, e);
      if (!Guard.isPluginFault(failure)) {
        throw failure; // An error that the contract allows has left nothing behind.
      }
    }
    guard.runQuietly("end what was started", () -> hypervisor.reap(spec.directory()));
    throw failure;
  }

  @Override
  public Optional<RunningVm> reattach(VmSpec spec, Duration timeout) {
    try {
      return guard
          .requireNonNull(
              "reattach",
              deadlines.call(
                  "reattach", timeout, () -> hypervisor.reattach(spec, timeout), late -> {}))
          .map(vm -> GuardedRunningVm.wrap(vm, this, spec));
    } catch (Throwable e) {
      throw guard.failed("reattach", e);
    }
  }

  /**
   * Resumes a machine whose plugin failed during a pause, so that it is unknown whether it is
   * paused. Reattaching resumes it if it is.
   */
  void resumeAfterFailure(VmSpec spec) {
    // Clear the interrupt, which would also interrupt this call.
    boolean interrupted = Thread.interrupted();
    try {
      guard.runQuietly("let the machine run", () -> reattach(spec, REVIVAL_TIMEOUT));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends a machine whose plugin failed to end it. */
  void killAfterFailure(VmSpec spec) {
    guard.runQuietly("end the machine", () -> hypervisor.reap(spec.directory()));
  }

  @Override
  public void reap(Path directory) {
    try {
      hypervisor.reap(directory);
    } catch (Throwable e) {
      throw guard.failed("reap", e);
    }
  }

  @Override
  public void close() {
    try {
      hypervisor.close();
    } catch (Throwable e) {
      throw guard.failed("close", e);
    }
  }
}
