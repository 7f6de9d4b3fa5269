// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.api.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A hypervisor that keeps its contract towards the engine, see {@link Guard}. After a failed start
 * it ends what the plugin may have left running.
 *
 * @param hypervisor what does it
 * @param guard names it
 */
record GuardedHypervisor(Hypervisor hypervisor, Guard guard) implements Hypervisor {
  private static final Duration REVIVAL_TIMEOUT = Duration.ofSeconds(5);

  @Override
  public RunningVm boot(VmSpec spec, Duration timeout) {
    return new GuardedRunningVm(
        started("boot", spec, () -> hypervisor.boot(spec, timeout)), this, spec);
  }

  @Override
  public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
    PausedVm paused = started("restore", spec, () -> hypervisor.restore(spec, saved, timeout));
    return new GuardedPausedVm(paused, null, this, spec);
  }

  private <T> T started(String call, VmSpec spec, Supplier<@Nullable T> start) {
    RametException failure;
    try {
      T answer = start.get();
      if (answer != null) {
        return answer;
      }
      failure = guard.broken(call, "null");
    } catch (RametException e) {
      throw e; // An error that the contract knows has left nothing behind.
    } catch (Throwable e) {
      failure = guard.failed(call, e);
    }
    guard.quietly("end what was started", () -> hypervisor.reap(spec.directory()));
    throw failure;
  }

  @Override
  public Optional<RunningVm> reattach(VmSpec spec, Duration timeout) {
    try {
      return guard
          .present("reattach", hypervisor.reattach(spec, timeout))
          .map(vm -> new GuardedRunningVm(vm, this, spec));
    } catch (Throwable e) {
      throw guard.failed("reattach", e);
    }
  }

  /**
   * Lets a machine run again of which nobody knows whether it stands still, because its plugin
   * failed in a pause: to be found paused is to be resumed.
   */
  void revive(VmSpec spec) {
    guard.quietly("let the machine run", () -> hypervisor.reattach(spec, REVIVAL_TIMEOUT));
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
