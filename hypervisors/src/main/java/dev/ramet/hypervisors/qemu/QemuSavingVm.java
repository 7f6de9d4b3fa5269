// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import dev.ramet.spi.hypervisor.SavingVm;

/**
 * A machine whose devices QEMU saves. QEMU works off its commands in order, so that it resumes
 * after the save by itself.
 *
 * <p>That guest memory stays as it is follows from QEMU's own migration, which sends the last of
 * memory before it saves the devices (migration/savevm.c, {@code
 * qemu_savevm_state_complete_precopy}): a device that wrote to memory then would break it.
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

  /** {@inheritDoc} Whoever has not resumed it by then has given up the save too. */
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
