// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Guards a paused machine, see {@link Guard}. Closing it resumes the machine even if the plugin
 * fails to. Used by one thread.
 */
class GuardedPausedVm implements PausedVm {
  private final PausedVm paused;
  private final GuardedHypervisor hypervisor;
  private final VmSpec spec;
  private @Nullable GuardedRunningVm running;
  private boolean ended;
  final Guard guard;

  /**
   * Creates a guarded pause.
   *
   * @param origin the machine that was paused, or null for one that has never run
   * @param spec the specification it was started with
   */
  GuardedPausedVm(
      PausedVm paused,
      @Nullable GuardedRunningVm origin,
      GuardedHypervisor hypervisor,
      VmSpec spec) {
    this.paused = paused;
    this.running = origin;
    this.hypervisor = hypervisor;
    this.guard = hypervisor.guard();
    this.spec = spec;
  }

  @Override
  public long pid() {
    try {
      return GuestMemoryCheck.pid(guard, paused.pid());
    } catch (Throwable e) {
      throw guard.failed("pid", e);
    }
  }

  @Override
  public EgressPoint egress() {
    try {
      return GuestMemoryCheck.egress(guard, guard.requireNonNull("egress", paused.egress()));
    } catch (Throwable e) {
      throw guard.failed("egress", e);
    }
  }

  @Override
  public void saveDevices(Path directory) {
    try {
      paused.saveDevices(directory);
    } catch (Throwable e) {
      throw guard.failed("saveDevices", e);
    }
  }

  @Override
  public GuestMemory memory() {
    try {
      GuestMemory answer = guard.requireNonNull("memory", paused.memory());
      return GuestMemoryCheck.requireValid(guard, answer, pid(), spec);
    } catch (Throwable e) {
      throw guard.failed("memory", e);
    }
  }

  @Override
  public RunningVm resume() {
    try {
      RunningVm vm = guard.requireNonNull("resume", paused.resume());
      GuardedRunningVm known = running;
      if (known == null || !known.wraps(vm)) {
        known = GuardedRunningVm.wrap(vm, hypervisor, spec);
        running = known;
      }
      return known;
    } catch (Throwable e) {
      throw guard.failed("resume", e);
    }
  }

  /** {@inheritDoc} Even if this fails, {@link #close} does not resume the machine. */
  @Override
  public void kill() {
    ended = true;
    try {
      paused.kill();
    } catch (Throwable e) {
      hypervisor.killAfterFailure(spec);
      throw guard.failed("kill", e);
    }
  }

  @Override
  public void close() {
    if (ended) {
      return;
    }
    try {
      paused.close();
    } catch (Throwable e) {
      // Whatever the cause, a machine must not stay paused without an owner that could resume it.
      hypervisor.resumeAfterFailure(spec);
      throw guard.failed("close", e);
    }
  }
}
