// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Saves the state of a machine's devices to a directory. Used by one thread.
 *
 * <p>QEMU reads its monitor byte by byte, each in one iteration of its main loop (monitor/qmp.c,
 * {@code monitor_can_read}), 3 to 4 microseconds as measured with TCG, so that a path of 120 bytes
 * lengthens a pause by a third of a millisecond. It is therefore given a short path relative to its
 * working directory, and the file is moved when the machine runs again.
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
  private final Qmp.Answer answer;

  private DeviceSave(Machine machine, Path directory, Deadline deadline) {
    this.machine = machine;
    this.directory = directory;
    this.written = machine.files().directory().resolve(VmFiles.STATE);
    this.devices = directory.resolve(VmFiles.DEVICES);
    this.blocks = directory.resolve(VmFiles.RAM_BLOCKS);
    this.deadline = deadline;
    ObjectNode arguments = Qmp.JSON.createObjectNode();
    arguments.put("filename", VmFiles.STATE);
    // live: true would take the disks away from a machine that is stopped.
    arguments.put("live", false);
    this.answer = machine.begin("xen-save-devices-state", arguments, deadline);
  }

  static DeviceSave begin(Machine machine, Path directory) {
    return new DeviceSave(machine, directory.toAbsolutePath(), Deadline.after(QemuVm.PATIENCE));
  }

  /** Waits until QEMU has written it; nothing is left when that fails. */
  void await() {
    try {
      machine.awaitAwake(answer, deadline);
    } catch (RametException e) {
      throw failed(e);
    }
  }

  /**
   * Checks the written state and moves it to its directory; leaves nothing behind if that fails.
   */
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

  /** One inode for all states of a machine: they differ in their devices only. */
  static void share(Path from, Path to) throws IOException {
    Files.deleteIfExists(to);
    try {
      Files.createLink(to, from);
    } catch (IOException | UnsupportedOperationException e) {
      Files.copy(from, to); // Another file system, or one without hard links.
    }
  }

  /** Removes the files of the save, once QEMU is done with them. */
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
        return new RametException(ErrorCode.NO_SPACE, what, "free some space", e);
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
