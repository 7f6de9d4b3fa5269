// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.engine.space.StandstillSlot;
import dev.ramet.linux.file.FullFileSystem;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.hypervisor.StopsOnDiskError.DiskStop;
import dev.ramet.spi.storage.Attachment;
import java.util.List;

/** Explains for people why a disk has stopped a machine. */
final class DiskErrors {
  private DiskErrors() {}

  static Standstill standstill(DiskStop stop, RunningVm vm) {
    List<Disk> disks = vm.spec().disks();
    boolean file = !disks.isEmpty() && disks.get(0).image() instanceof Attachment.LocalFile;
    if (stop.cause() == StopsOnDiskError.Cause.NO_SPACE) {
      FullFileSystem full = file ? FullFileSystem.findAt(disks.get(0).image().path()) : null;
      return new Standstill(
          Standstill.Cause.NO_SPACE,
          full == null ? stop.detail() : "no space left on " + full.describe(),
          StandstillSlot.remedy(full != null && full.isContaining()));
    }
    return new Standstill(
        Standstill.Cause.DISK_ERROR,
        stop.detail() + (file ? ": " + disks.get(0).image().path() : ""),
        "see the kernel's log and repair the disk, and the request is repeated; or roll the sandbox"
            + " back to a snapshot");
  }
}
