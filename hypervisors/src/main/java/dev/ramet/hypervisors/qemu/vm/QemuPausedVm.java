// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.process.Machine;
import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.GuestMemory;
import java.nio.file.Path;

/** A machine in QEMU whose virtual CPUs are stopped. Used by one thread. */
class QemuPausedVm implements PausedVm {
  private final QemuVm vm;
  private final Object token;
  private boolean over;

  /**
   * Creates a pause.
   *
   * @param token identifies this pause to the machine
   */
  QemuPausedVm(QemuVm vm, Object token) {
    this.vm = vm;
    this.token = token;
  }

  @Override
  public long pid() {
    return vm.pid();
  }

  @Override
  public EgressPoint egress() {
    return vm.egress();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Creates the files {@code devices} and {@code ram-blocks}, which are not yet durable against
   * a loss of power. Throws {@code NO_SPACE} when the file system is full, and then leaves no
   * files.
   */
  @Override
  public void saveDevices(Path directory) {
    DeviceSave save = DeviceSave.begin(vm.machine(), directory);
    save.await();
    save.finish();
  }

  @Override
  public GuestMemory memory() {
    return vm.memory();
  }

  @Override
  public final RunningVm resume() {
    if (!isOver()) {
      UninterruptedRunner.run(this::resumeMachine);
      over = true;
      vm.endPause(token);
    }
    return vm;
  }

  private void resumeMachine() {
    Deadline deadline = Deadline.after(QemuVm.TIMEOUT);
    Machine machine = vm.machine();
    machine.awaitAwake(machine.send("cont", Qmp.JSON.createObjectNode(), deadline), deadline);
  }

  /**
   * Returns whether the pause is over: the machine was resumed or killed, or the pause was taken
   * back.
   */
  final boolean isOver() {
    return over || !vm.isPausedBy(token);
  }

  @Override
  public void kill() {
    over = true;
    vm.kill(QemuVm.TIMEOUT);
    vm.endPause(token);
  }

  /**
   * {@inheritDoc}
   *
   * <p>A machine that has exited meanwhile is not an error here; its exit is reported separately.
   * The pause ends even if the machine cannot resume: nobody is left to end it, and it must not
   * block another pause or a rollback.
   */
  @Override
  public void close() {
    if (isOver()) {
      return;
    }
    try {
      resume();
    } catch (RametException e) {
      if (!vm.machine().hasEnded()) {
        throw e;
      }
    } finally {
      over = true;
      vm.endPause(token);
    }
  }
}
