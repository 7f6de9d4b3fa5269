// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.api.RametException;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A machine whose driver keeps its contract towards the engine, see {@link Guard}. A pause that
 * fails as none may leaves it running.
 */
final class GuardedRunningVm implements RunningVm, Guarded {
  private final RunningVm vm;
  private final GuardedHypervisor hypervisor;
  private final Guard guard;
  private final VmSpec spec;

  /**
   * A machine.
   *
   * @param spec what it was started with
   */
  GuardedRunningVm(RunningVm vm, GuardedHypervisor hypervisor, VmSpec spec) {
    this.vm = vm;
    this.hypervisor = hypervisor;
    this.guard = hypervisor.guard();
    this.spec = spec;
  }

  @Override
  public Object plugged() {
    return vm;
  }

  @Override
  public Guard guard() {
    return guard;
  }

  /** Whether it is this driver's machine that stands behind it. */
  boolean is(RunningVm other) {
    return vm == other;
  }

  @Override
  public VmSpec spec() {
    try {
      return guard.present("spec", vm.spec());
    } catch (Throwable e) {
      throw guard.failed("spec", e);
    }
  }

  @Override
  public VmIdentity identity() {
    try {
      return guard.present("identity", vm.identity());
    } catch (Throwable e) {
      throw guard.failed("identity", e);
    }
  }

  @Override
  public long pid() {
    try {
      return vm.pid();
    } catch (Throwable e) {
      throw guard.failed("pid", e);
    }
  }

  @Override
  public PausedVm pause() {
    return stopped(
        "pause", vm::pause, paused -> new GuardedPausedVm(paused, this, hypervisor, spec));
  }

  @Override
  public SavingVm pauseAndSave(Path directory) {
    return stopped(
        "pauseAndSave",
        () -> vm.pauseAndSave(directory),
        saving -> new GuardedSavingVm(saving, this, hypervisor, spec));
  }

  private <T, G> G stopped(String call, Supplier<@Nullable T> stop, Function<T, G> guarded) {
    T answer;
    try {
      answer = stop.get();
    } catch (RametException e) {
      throw e; // An error that the contract knows has left it running.
    } catch (Throwable e) {
      hypervisor.revive(spec);
      throw guard.failed(call, e);
    }
    if (answer == null) {
      hypervisor.revive(spec);
      throw guard.broken(call, "null");
    }
    return guarded.apply(answer);
  }

  @Override
  public GuestMemory memory() {
    try {
      return guard.present("memory", vm.memory());
    } catch (Throwable e) {
      throw guard.failed("memory", e);
    }
  }

  @Override
  public InetSocketAddress forward(int guestPort) {
    try {
      return guard.present("forward", vm.forward(guestPort));
    } catch (Throwable e) {
      throw guard.failed("forward", e);
    }
  }

  @Override
  public CompletionStage<VmExit> exit() {
    try {
      return guard.present("exit", vm.exit());
    } catch (Throwable e) {
      throw guard.failed("exit", e);
    }
  }

  @Override
  public void kill(Duration timeout) {
    try {
      vm.kill(timeout);
    } catch (RametException e) {
      throw e;
    } catch (Throwable e) {
      // The machine must go: what would be told to a host that starts anew ends it as well.
      guard.quietly("end the machine", () -> hypervisor.reap(spec.directory()));
      throw guard.failed("kill", e);
    }
  }
}
