// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.api.RametException;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A machine that stands still, whose driver keeps its contract towards the engine, see {@link
 * Guard}. Its close lets the machine run again also where the plugin's own fails. Used by one
 * thread.
 */
class GuardedPausedVm implements PausedVm {
  private final PausedVm paused;
  private final GuardedHypervisor hypervisor;
  private final VmSpec spec;
  private @Nullable GuardedRunningVm running;
  final Guard guard;

  /**
   * A pause.
   *
   * @param origin the machine that was stopped, or null for one that has never run
   * @param spec what it was started with
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
      return paused.pid();
    } catch (Throwable e) {
      throw guard.failed("pid", e);
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
      return guard.present("memory", paused.memory());
    } catch (Throwable e) {
      throw guard.failed("memory", e);
    }
  }

  @Override
  public RunningVm resume() {
    try {
      RunningVm vm = guard.present("resume", paused.resume());
      GuardedRunningVm known = running;
      if (known == null || !known.is(vm)) {
        known = new GuardedRunningVm(vm, hypervisor, spec);
        running = known;
      }
      return known;
    } catch (Throwable e) {
      throw guard.failed("resume", e);
    }
  }

  @Override
  public void kill() {
    try {
      paused.kill();
    } catch (RametException e) {
      throw e;
    } catch (Throwable e) {
      guard.quietly("end the machine", () -> hypervisor.reap(spec.directory()));
      throw guard.failed("kill", e);
    }
  }

  @Override
  public void close() {
    try {
      paused.close();
    } catch (RametException e) {
      throw e;
    } catch (Throwable e) {
      hypervisor.revive(spec);
      throw guard.failed("close", e);
    }
  }
}
