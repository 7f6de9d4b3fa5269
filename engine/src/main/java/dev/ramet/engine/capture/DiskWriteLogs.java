// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.hypervisor.DiskWriteLog;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.WriteLog;

/** Gives storage the writes that a machine made to its disk. */
final class DiskWriteLogs {
  /** Index of the disk: a sandbox has only one, see {@link MachineStarter#spec}. */
  private static final int DISK = 0;

  private DiskWriteLogs() {}

  /**
   * Returns the write log of a machine's disk, or {@link WriteLog#NONE} if its hypervisor keeps
   * none.
   */
  static WriteLog ofDisk(RunningVm vm) {
    DiskWriteLog log = Capability.guarded(vm, DiskWriteLog.class);
    return log == null ? WriteLog.NONE : () -> log.takeWrites(DISK);
  }
}
