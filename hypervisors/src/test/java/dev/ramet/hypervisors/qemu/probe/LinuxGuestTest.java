// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.DiskWriteLog;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.WriteLog;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that a Linux guest keeps its memory, disk and processes over a restore, and can reboot
 * afterwards.
 */
class LinuxGuestTest {
  private final Path root;

  LinuxGuestTest(@TempDir Path root) {
    this.root = root;
  }

  @Test
  void survivesARestoreAndRebootsAfterIt() throws Exception {
    LinuxGuest guest = new LinuxGuest(root);
    Path disk = guest.rootDisk("disk");
    try (QemuHypervisor driver = new QemuHypervisor(Bench.installation(root))) {
      try {
        RunningVm vm = driver.boot(guest.spec("vm", disk), Bench.PATIENCE);
        LinuxGuest.awaitAgent(vm);
        LinuxGuest.write(vm, "/root/on-disk", "kept");
        LinuxGuest.write(vm, "/dev/shm/in-memory", "kept too");
        String bootId = LinuxGuest.read(vm, LinuxGuest.BOOT_ID);
        Path devices = Files.createDirectory(root.resolve("saved"));
        Path image = root.resolve("memory");
        Path clonedDisk;
        try (PausedVm paused = vm.pause()) {
          paused.saveDevices(devices);
          clonedDisk = guest.copyOf(disk, "cloned-disk");
          Trial.copy(paused.memory(), image);
        }
        LinuxGuest.write(vm, "/root/on-disk", "changed by the original");
        SavedVm saved = new SavedVm(devices, new MemorySource.MappedImage(image), vm.identity());

        RunningVm clone =
            driver.restore(guest.spec("clone", clonedDisk), saved, Bench.PATIENCE).resume();
        LinuxGuest.awaitAgent(clone);
        assertEquals(bootId, LinuxGuest.read(clone, LinuxGuest.BOOT_ID));
        assertEquals("kept", LinuxGuest.read(clone, "/root/on-disk"));
        assertEquals("kept too", LinuxGuest.read(clone, "/dev/shm/in-memory"));
        assertEquals("changed by the original", LinuxGuest.read(vm, "/root/on-disk"));

        LinuxGuest.start(clone, "sync; reboot -f");
        Bench.await(
            "the reboot",
            () -> !bootId.equals(LinuxGuest.readOrNothing(clone, LinuxGuest.BOOT_ID)));
        LinuxGuest.awaitAgent(clone);
        assertNotEquals(bootId, LinuxGuest.read(clone, LinuxGuest.BOOT_ID));
        assertEquals("kept", LinuxGuest.read(clone, "/root/on-disk"));
      } finally {
        driver.reap(root);
      }
    }
  }

  /** Tests requests of a real guest: written data and freed blocks. */
  @Test
  void whatAGuestWritesIsTold() throws Exception {
    LinuxGuest guest = new LinuxGuest(root);
    VmSpec plain = guest.spec("vm", guest.rootDisk("disk"));
    Path second = root.resolve("second");
    try (RandomAccessFile file = new RandomAccessFile(second.toFile(), "rw")) {
      file.setLength(64 << 20);
    }
    VmSpec spec =
        plain.with(
            List.of(
                plain.disks().get(0), new Disk("disk1", new Attachment.LocalFile(second, false))));
    try (QemuHypervisor driver = new QemuHypervisor(Bench.installation(root))) {
      try {
        RunningVm vm = driver.boot(spec, Bench.PATIENCE);
        LinuxGuest.awaitAgent(vm);
        DiskWriteLog log = (DiskWriteLog) vm;
        WriteLog.Written first = log.takeWrites(1);
        LinuxGuest.start(
            vm,
            "dd if=/dev/urandom of=/dev/vdb bs=4k seek=100 count=2 conv=fsync"
                + " && blkdiscard -o 1048576 -l 65536 /dev/vdb"
                + " && echo done >/dev/shm/done");
        Bench.await(
            "the guest's writes",
            () -> "done\n".equals(LinuxGuest.readOrNothing(vm, "/dev/shm/done")));
        try (PausedVm paused = vm.pause()) {
          WriteLog.Written written = log.takeWrites(1);
          assertEquals(
              List.of(
                  new WriteLog.Range(400 << 10, 8 << 10), new WriteLog.Range(1 << 20, 64 << 10)),
              written.ranges());
          assertTrue(written.isAllSince(first.until()));
          assertEquals(List.of(), log.takeWrites(1).ranges());
          assertEquals(vm.pid(), paused.pid());
        }
      } finally {
        driver.reap(root);
      }
    }
  }
}
