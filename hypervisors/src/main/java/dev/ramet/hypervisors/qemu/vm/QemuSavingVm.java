// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import dev.ramet.spi.hypervisor.SavingVm;

/**
 * A paused machine whose devices QEMU is saving. QEMU executes commands in order, so a resume sent
 * during the save takes effect after it.
 *
 * <p>Guest memory does not change during the save. This follows from QEMU's own migration, which
 * sends the last of memory before it saves the devices (migration/savevm.c, {@code
 * qemu_savevm_state_complete_precopy}): a device that wrote to memory then would break migration.
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

  /**
   * {@inheritDoc}
   *
   * <p>Also discards the save if the machine was not resumed before.
   */
  @Override
  public void close() {
    boolean abandoned = !isOver();
    try {
      super.close();
    } finally {
      if (abandoned) {
        save.discard();
      }
    }
  }
}
