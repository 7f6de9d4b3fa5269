// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.GuestMemory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A machine in QEMU whose virtual CPUs are stopped. Used by one thread. */
final class QemuPausedVm implements PausedVm {
  /** More than any device state takes; less free space than this explains a failed save. */
  private static final long STATE_ROOM_BYTES = 1 << 20;

  private final QemuVm vm;
  private boolean over;

  QemuPausedVm(QemuVm vm) {
    this.vm = vm;
  }

  @Override
  public long pid() {
    return vm.pid();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Makes the files {@code devices} and {@code ram-blocks}. They are not yet safe from a loss of
   * power. {@code NO_SPACE} when the file system is full; nothing is left then.
   */
  @Override
  public void saveDevices(Path directory) {
    Path devices = directory.toAbsolutePath().resolve(VmFiles.DEVICES);
    Path blocks = directory.resolve(VmFiles.RAM_BLOCKS);
    try {
      share(vm.machine().files().ramBlocks(), blocks);
      ObjectNode arguments = Qmp.JSON.createObjectNode();
      arguments.put("filename", devices.toString());
      // live: true would take the disks away from a machine that is stopped.
      arguments.put("live", false);
      vm.machine().execute("xen-save-devices-state", arguments, Deadline.after(QemuVm.PATIENCE));
      try (InputStream in = Files.newInputStream(devices)) {
        if (!RamBlocks.isHeader(in.readNBytes(RamBlocks.HEADER_BYTES))) {
          throw new IOException("QEMU wrote no state to " + devices);
        }
      }
    } catch (IOException | RametException e) {
      VmFiles.delete(devices);
      VmFiles.delete(blocks);
      throw saveFailed(directory, e);
    }
  }

  /** One inode for all states of a machine: they differ in their devices only. */
  static void share(Path from, Path to) throws IOException {
    Files.deleteIfExists(to);
    try {
      Files.createLink(to, from);
    } catch (IOException | UnsupportedOperationException e) {
      Files.copy(from, to); // Another file system, or one without hard links.
    }
  }

  private static RametException saveFailed(Path directory, Exception e) {
    String what = "cannot save the devices into " + directory + ": " + e.getMessage();
    try {
      if (Files.getFileStore(directory).getUsableSpace() < STATE_ROOM_BYTES) {
        return new RametException(ErrorCode.NO_SPACE, what, "free some space", e);
      }
    } catch (IOException unknown) {
      e.addSuppressed(unknown);
    }
    return e instanceof RametException known
        ? known
        : new RametException(ErrorCode.HOST_UNFIT, what, e);
  }

  @Override
  public GuestMemory memory() {
    return vm.memory();
  }

  @Override
  public RunningVm resume() {
    if (!over) {
      vm.machine().execute("cont", Deadline.after(QemuVm.PATIENCE));
      over = true;
      vm.endPause();
    }
    return vm;
  }

  @Override
  public void kill() {
    over = true;
    vm.kill(QemuVm.PATIENCE);
    vm.endPause();
  }

  /** {@inheritDoc} A machine that has ended meanwhile is no error here: its exit tells. */
  @Override
  public void close() {
    if (over) {
      return;
    }
    try {
      resume();
    } catch (RametException e) {
      if (!vm.machine().ended()) {
        throw e;
      }
      over = true;
      vm.endPause();
    }
  }
}
