// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.Host;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.hypervisor.StopsOnDiskError.DiskStop;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a full disk and a broken one stop a Linux guest, which goes on without an error. */
class DiskStopsTest {
  private final Path root;
  private final Path small;

  DiskStopsTest(@TempDir Path root) throws Exception {
    this.root = root;
    this.small = Files.createDirectory(root.resolve("small"));
    Host.mountTmpfs(small, "2m");
  }

  @AfterEach
  void unmount() throws Exception {
    Host.run("umount", small.toString());
  }

  @Test
  void aFullDiskAndABrokenOneStopTheGuest() throws Exception {
    LinuxGuest guest = new LinuxGuest(root);
    VmSpec plain = guest.spec("vm", guest.rootDisk("disk"));
    VmSpec spec =
        plain.with(
            List.of(
                plain.disks().get(0),
                new Disk("disk1", sparse(small.resolve("full"))),
                new Disk("disk2", sparse(root.resolve("broken")))));
    try (QemuHypervisor driver = new QemuHypervisor(Bench.installation(root))) {
      try {
        RunningVm vm = driver.boot(spec, Bench.PATIENCE);
        LinuxGuest.awaitAgent(vm);
        StopsOnDiskError stops = (StopsOnDiskError) vm;
        assertEquals(Optional.empty(), stops.diskStop());

        CountDownLatch heard = new CountDownLatch(2); // once for now, once for the stop
        stops.onDiskStop(heard::countDown);
        LinuxGuest.start(vm, write("/dev/vdb", "first"));
        awaitStop(stops, StopsOnDiskError.Cause.NO_SPACE);
        assertEquals(true, heard.await(1, TimeUnit.MINUTES));
        stops.goOn();
        awaitStop(stops, StopsOnDiskError.Cause.NO_SPACE);
        // A pause and a driver that finds the machine again leave it as it is.
        vm.pause().close();
        awaitStop(stops, StopsOnDiskError.Cause.NO_SPACE);
        driver.close();
        try (QemuHypervisor next = new QemuHypervisor(Bench.installation(root))) {
          RunningVm again = next.reattach(spec, Bench.PATIENCE).orElseThrow();
          StopsOnDiskError found = (StopsOnDiskError) again;
          awaitStop(found, StopsOnDiskError.Cause.NO_SPACE);
          Host.run("mount", "-o", "remount,size=16m", small.toString());
          found.goOn();
          awaitWritten(again, "first");
          assertEquals(Optional.empty(), found.diskStop());

          Path broken = root.resolve("broken");
          assertEquals(0, Host.run("chattr", "+i", broken.toString()));
          try {
            LinuxGuest.start(again, write("/dev/vdc", "second"));
            awaitStop(found, StopsOnDiskError.Cause.DISK_ERROR);
          } finally {
            Host.run("chattr", "-i", broken.toString());
          }
          try (PausedVm paused = again.pause()) {
            assertEquals(again.pid(), paused.pid());
            RametException e = assertThrows(RametException.class, found::goOn);
            assertEquals(ErrorCode.CONFLICT, e.code(), "a pause is not ended by going on");
          }
          awaitWritten(again, "second");
        }
      } finally {
        driver.reap(root);
      }
    }
  }

  private static Attachment sparse(Path path) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(8 << 20);
    }
    return new Attachment.LocalFile(path, false);
  }

  /** Writes 4 MiB and says so when the guest's kernel has confirmed all of it. */
  private static String write(String device, String name) {
    return "dd if=/dev/urandom of=%s bs=64k count=64 conv=fsync && echo done > /dev/shm/%s"
        .formatted(device, name);
  }

  private static void awaitWritten(RunningVm vm, String name) throws Exception {
    Bench.await(
        "the guest's writes",
        () -> "done\n".equals(LinuxGuest.readOrNothing(vm, "/dev/shm/" + name)));
  }

  private static void awaitStop(StopsOnDiskError stops, StopsOnDiskError.Cause cause)
      throws Exception {
    Bench.await("the stop", () -> stops.diskStop().map(DiskStop::cause).equals(Optional.of(cause)));
  }
}
