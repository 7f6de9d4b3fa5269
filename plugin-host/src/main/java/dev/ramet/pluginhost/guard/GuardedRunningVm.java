// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.EgressPoint;
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
 * Guards a running machine, see {@link Guard}. If a pause fails in a way that the contract does not
 * allow, the machine is resumed.
 */
final class GuardedRunningVm implements RunningVm, Guarded {
  private final RunningVm vm;
  private final GuardedHypervisor hypervisor;
  private final Guard guard;
  private final VmSpec spec;

  /**
   * The process id and the identity do not change while the machine runs, so the plugin is asked
   * once.
   */
  private volatile long pid;

  private volatile @Nullable VmIdentity identity;

  /**
   * Creates a guarded machine.
   *
   * @param spec the specification it was started with
   */
  GuardedRunningVm(RunningVm vm, GuardedHypervisor hypervisor, VmSpec spec) {
    this.vm = vm;
    this.hypervisor = hypervisor;
    this.guard = hypervisor.guard();
    this.spec = spec;
  }

  /** Returns a guarded machine, after checking its process id and identity. */
  static GuardedRunningVm wrap(RunningVm vm, GuardedHypervisor hypervisor, VmSpec spec) {
    GuardedRunningVm guarded = new GuardedRunningVm(vm, hypervisor, spec);
    guarded.pid();
    guarded.identity();
    return guarded;
  }

  @Override
  public Object delegate() {
    return vm;
  }

  @Override
  public Guard guard() {
    return guard;
  }

  /** Returns whether this wraps the given machine of the driver. */
  boolean wraps(RunningVm other) {
    return vm == other;
  }

  @Override
  public VmSpec spec() {
    return spec; // known without asking the plugin
  }

  @Override
  public VmIdentity identity() {
    VmIdentity known = identity;
    if (known != null) {
      return known;
    }
    try {
      VmIdentity answer = guard.requireNonNull("identity", vm.identity());
      if (!guard.id().equals(answer.hypervisor())) {
        throw guard.contractViolation("identity", answer + " for the hypervisor " + guard.id());
      }
      identity = answer;
      return answer;
    } catch (Throwable e) {
      throw guard.failed("identity", e);
    }
  }

  @Override
  public long pid() {
    long known = pid;
    if (known != 0) {
      return known;
    }
    try {
      known = GuestMemoryCheck.pid(guard, vm.pid());
      pid = known;
      return known;
    } catch (Throwable e) {
      throw guard.failed("pid", e);
    }
  }

  @Override
  public PausedVm pause() {
    return guardPause(
        "pause", vm::pause, paused -> new GuardedPausedVm(paused, this, hypervisor, spec));
  }

  @Override
  public SavingVm pauseAndSave(Path directory) {
    return guardPause(
        "pauseAndSave",
        () -> vm.pauseAndSave(directory),
        saving -> new GuardedSavingVm(saving, this, hypervisor, spec));
  }

  private <T, G> G guardPause(String call, Supplier<@Nullable T> stop, Function<T, G> guarded) {
    T answer;
    try {
      answer = stop.get();
    } catch (Throwable e) {
      RametException failure = guard.failed(call, e);
      if (Guard.isPluginFault(failure)) {
        hypervisor.resumeAfterFailure(
            spec); // an error that the contract allows has left it running
      }
      throw failure;
    }
    if (answer == null) {
      hypervisor.resumeAfterFailure(spec);
      throw guard.contractViolation(call, "null");
    }
    return guarded.apply(answer);
  }

  @Override
  public GuestMemory memory() {
    try {
      GuestMemory answer = guard.requireNonNull("memory", vm.memory());
      return GuestMemoryCheck.requireValid(guard, answer, pid(), spec);
    } catch (Throwable e) {
      throw guard.failed("memory", e);
    }
  }

  @Override
  public InetSocketAddress endpoint(int guestPort) {
    try {
      return guard.requireNonNull("endpoint", vm.endpoint(guestPort));
    } catch (Throwable e) {
      throw guard.failed("endpoint", e);
    }
  }

  @Override
  public EgressPoint egress() {
    try {
      return GuestMemoryCheck.egress(guard, guard.requireNonNull("egress", vm.egress()));
    } catch (Throwable e) {
      throw guard.failed("egress", e);
    }
  }

  @Override
  public CompletionStage<VmExit> exit() {
    try {
      return guard
          .requireNonNull("exit", vm.exit())
          .handle(
              (exit, failure) ->
                  isComplete(exit)
                      ? exit
                      : new VmExit(
                          false,
                          String.valueOf(
                              failure == null
                                  ? guard
                                      .contractViolation("exit", String.valueOf(exit))
                                      .getMessage()
                                  : guard.failed("exit", failure).getMessage())));
    } catch (Throwable e) {
      throw guard.failed("exit", e);
    }
  }

  private static boolean isComplete(@Nullable VmExit exit) {
    return exit != null && isText(exit.detail());
  }

  private static boolean isText(@Nullable String text) {
    return text != null;
  }

  @Override
  public void kill(Duration timeout) {
    try {
      hypervisor.deadlines().run("kill", timeout, () -> vm.kill(timeout));
    } catch (Throwable e) {
      RametException failure = guard.failed("kill", e);
      if (Guard.isPluginFault(failure)) {
        // The machine must go: end it as a restarted host would, without the handle.
        hypervisor.killAfterFailure(spec);
      }
      throw failure;
    }
  }
}
