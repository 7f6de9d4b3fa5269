// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.process.Machine;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import java.util.Optional;

/** A running machine in a QEMU that stops it when a request to a disk fails. Thread-safe. */
final class StoppingQemuVm extends QemuVm implements StopsOnDiskError {
  StoppingQemuVm(VmSpec spec, VmIdentity identity, String ramPath, Machine machine) {
    super(spec, identity, ramPath, machine);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Asks QEMU only if the machine has stopped since it was last asked and nobody has paused it.
   */
  @Override
  public Optional<DiskStop> diskStop() {
    return machine().diskStops().find(isPaused(), Deadline.after(QemuVm.TIMEOUT));
  }

  @Override
  public void onDiskStop(Runnable listener) {
    machine().diskStops().listen(listener);
  }

  /**
   * {@inheritDoc} Holds the pause meanwhile, so that it cannot end a pause that begins just now.
   */
  @Override
  public void goOn() {
    Object token = claimPause();
    try {
      machine().execute("cont", Deadline.after(QemuVm.TIMEOUT));
    } finally {
      endPause(token);
    }
  }
}
