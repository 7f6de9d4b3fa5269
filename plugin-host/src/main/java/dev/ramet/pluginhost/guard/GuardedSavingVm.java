// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmSpec;

/** Guards a paused machine whose devices are being saved. Used by one thread. */
final class GuardedSavingVm extends GuardedPausedVm implements SavingVm {
  private final SavingVm saving;

  /**
   * Creates a guarded pause with a save under way.
   *
   * @param origin the machine that was paused
   * @param spec the specification it was started with
   */
  GuardedSavingVm(
      SavingVm saving, GuardedRunningVm origin, GuardedHypervisor hypervisor, VmSpec spec) {
    super(saving, origin, hypervisor, spec);
    this.saving = saving;
  }

  @Override
  public void awaitDevices() {
    try {
      saving.awaitDevices();
    } catch (Throwable e) {
      throw guard.failed("awaitDevices", e);
    }
  }

  @Override
  public void finishDevices() {
    try {
      saving.finishDevices();
    } catch (Throwable e) {
      throw guard.failed("finishDevices", e);
    }
  }
}
