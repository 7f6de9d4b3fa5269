// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

/**
 * A paused machine whose device state is being saved. Guest memory does not change during the save
 * if the driver states {@link HypervisorFacts.Saves#memoryStable}, and can then be read at the same
 * time; otherwise it is read after {@link #awaitDevices}, and does not change from then on. If the
 * save fails or is not finished, the contents of its directory are useless. Used by one thread.
 */
public interface SavingVm extends PausedVm {
  /** Waits until the save no longer needs the machine to be paused. */
  void awaitDevices();

  /**
   * Finishes the part of the save that does not need a paused machine; the machine may have been
   * resumed by now. Checks what was written and adds what is the same for all saves of this
   * machine. Call it once, after {@link #awaitDevices}.
   */
  void finishDevices();

  /** Resumes the machine, once the save is over. */
  @Override
  RunningVm resume();
}
