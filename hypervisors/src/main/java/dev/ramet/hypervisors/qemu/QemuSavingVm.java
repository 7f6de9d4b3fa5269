// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import dev.ramet.spi.hypervisor.SavingVm;

/**
 * A machine whose device state QEMU is saving. QEMU executes its commands in order, so a resume
 * takes effect after the save without waiting for it here.
 *
 * <p>Guest memory does not change meanwhile, which follows from QEMU's own migration: it sends the
 * last of memory before it saves the devices (migration/savevm.c, {@code
 * qemu_savevm_state_complete_precopy}), so a device that wrote to memory then would break it.
 */
final class QemuSavingVm extends QemuPausedVm implements SavingVm {
  private final DeviceSave save;

  QemuSavingVm(QemuVm vm, Object token, DeviceSave save) {
    super(vm, token);
    this.save = save;
  }

  @Override
  public void awaitDevices() {
    save.await();
  }

  @Override
  public void finishDevices() {
    save.finish();
  }

  /** {@inheritDoc} If the machine has not been resumed by then, the save is abandoned too. */
  @Override
  public void close() {
    boolean abandoned = !over();
    try {
      super.close();
    } finally {
      if (abandoned) {
        save.discard();
      }
    }
  }
}
