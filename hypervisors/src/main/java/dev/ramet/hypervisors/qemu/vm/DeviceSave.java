// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.process.Machine;
import dev.ramet.hypervisors.qemu.program.RamBlocks;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A save of a machine's devices into a directory. Used by one thread.
 *
 * <p>QEMU reads its monitor byte by byte, each in one iteration of its main loop (monitor/qmp.c,
 * {@code monitor_can_read}). One byte takes 3 to 4 microseconds as measured with TCG, so a path of
 * 120 bytes lengthens a pause by a third of a millisecond. QEMU therefore gets a short path
 * relative to its working directory, and the file is moved once the machine runs again.
 */
final class DeviceSave {
  /** More than any device state takes; less free space than this explains a failed save. */
  private static final long STATE_ROOM_BYTES = 1 << 20;

  private final Machine machine;
  private final Path directory;
  private final Path written;
  private final Path devices;
  private final Path blocks;
  private final Deadline deadline;
  private final Qmp.PendingReply answer;

  private DeviceSave(Machine machine, Path directory, Deadline deadline) {
    this.machine = machine;
    this.directory = directory;
    this.written = machine.files().directory().resolve(VmFiles.STATE);
    this.devices = directory.resolve(VmFiles.DEVICES);
    this.blocks = directory.resolve(VmFiles.RAM_BLOCKS);
    this.deadline = deadline;
    ObjectNode arguments = Qmp.JSON.createObjectNode();
    arguments.put("filename", VmFiles.STATE);
    // live: true would make a stopped machine give up its disks.
    arguments.put("live", false);
    this.answer = machine.send("xen-save-devices-state", arguments, deadline);
  }

  static DeviceSave begin(Machine machine, Path directory) {
    return new DeviceSave(machine, directory.toAbsolutePath(), Deadline.after(QemuVm.TIMEOUT));
  }

  /** Waits until QEMU has written the state; leaves no files if that fails. */
  void await() {
    try {
      machine.awaitAwake(answer, deadline);
    } catch (RametException e) {
      throw failed(e);
    }
  }

  /** Checks the written state and moves it to its directory; leaves no files if that fails. */
  void finish() {
    try {
      try (InputStream in = Files.newInputStream(written)) {
        if (!RamBlocks.isHeader(in.readNBytes(RamBlocks.HEADER_BYTES))) {
          throw new IOException("QEMU wrote no state to " + written);
        }
      }
      Files.move(written, devices, StandardCopyOption.REPLACE_EXISTING);
      share(machine.files().ramBlocks(), blocks);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Hard-links the file, since all saved states of a machine have the same RAM blocks; else copies
   * it.
   */
  static void share(Path from, Path to) throws IOException {
    Files.deleteIfExists(to);
    try {
      Files.createLink(to, from);
    } catch (IOException | UnsupportedOperationException e) {
      Files.copy(from, to); // another file system, or one without hard links
    }
  }

  /** Deletes all files of the save. Call it only once QEMU has finished writing. */
  void discard() {
    VmFiles.delete(written);
    VmFiles.delete(devices);
    VmFiles.delete(blocks);
  }

  private RametException failed(Exception e) {
    discard();
    String what = "cannot save the devices into " + directory + ": " + e.getMessage();
    try {
      if (full(directory) || full(machine.files().directory())) {
        return new RametException(ErrorCode.NO_SPACE, what, "free space there", e);
      }
    } catch (IOException unknown) {
      e.addSuppressed(unknown);
    }
    return e instanceof RametException known
        ? known
        : new RametException(ErrorCode.HOST_UNFIT, what, e);
  }

  private static boolean full(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace() < STATE_ROOM_BYTES;
  }
}
