// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

/**
 * A machine that stands still while its devices are being saved. Guest memory does not change
 * meanwhile, and so can be read beside it. When the save fails, or is not finished, its directory
 * holds nothing of use. Used by one thread.
 */
public interface SavingVm extends PausedVm {
  /** Waits until the save needs the machine to stand still no longer. */
  void awaitDevices();

  /**
   * Does what does not need a machine that stands still, which may run again by now: checks what
   * was written, and adds what is the same for all saves of this machine. Call it once, after
   * {@link #awaitDevices}.
   */
  void finishDevices();

  /** Lets it run again, once the save is over. */
  @Override
  RunningVm resume();
}
