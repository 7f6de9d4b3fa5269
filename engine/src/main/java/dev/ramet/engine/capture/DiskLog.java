// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.plugin.Capability;
import dev.ramet.spi.hypervisor.DiskWriteLog;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.WriteLog;

/** What a machine wrote to its disk, for the storage that copies it. */
final class DiskLog {
  /** A sandbox has one disk, see {@link MachineStarter#spec}. */
  private static final int DISK = 0;

  private DiskLog() {}

  /** The log of a machine's disk; {@link WriteLog#NONE} when its hypervisor keeps none. */
  static WriteLog of(RunningVm vm) {
    DiskWriteLog log = Capability.of(vm, DiskWriteLog.class);
    return log == null ? WriteLog.NONE : () -> log.takeWrites(DISK);
  }
}
