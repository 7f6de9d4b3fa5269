// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes an image's dirty pages back to the disk before a capture copies it, and remembers
 * failures. The kernel reports a failed write-back once and then treats the pages as clean,
 * although their bytes exist only in the page cache (core-api/errseq.rst and mm/page-writeback.c).
 * A later capture would lack these bytes on disk while the captured guest relies on them, and
 * nobody would notice. Thread-safe.
 */
public final class WritebackErrors {
  private static final System.Logger LOG = System.getLogger(WritebackErrors.class.getName());

  /** {@code EIO} of {@code asm-generic/errno-base.h}. */
  private static final int EIO = 5;

  private static final String OTHER_MACHINE = "roll it back to a snapshot, or kill it";

  private final Layout layout;
  private final StorageBackend storage;

  public WritebackErrors(Layout layout, StorageBackend storage) {
    this.layout = layout;
    this.storage = storage;
  }

  /**
   * Writes back the disk of a sandbox's machine.
   *
   * @throws RametException if that fails; {@code CORRUPT} if it failed before: until the sandbox
   *     gets another machine, nothing can be captured of it
   */
  void writeBack(SandboxRecord sandbox) {
    int number = sandbox.machine().number();
    Path mark = Layout.lostWrites(layout.machine(sandbox.id(), number));
    if (Files.exists(mark)) {
      throw new RametException(
          ErrorCode.CORRUPT,
          "the host could not write back everything that sandbox "
              + sandbox.id()
              + " wrote to its disk",
          OTHER_MACHINE,
          null);
    }
    try {
      storage.writeBack(Layout.machineDisk(sandbox.id(), number));
    } catch (RametException e) {
      if (!meansLostWrites(e)) {
        throw e;
      }
      mark(mark);
      String remedy = e.remedy();
      throw new RametException(
          e.code(),
          "data that sandbox " + sandbox.id() + " wrote to its disk is lost: " + e.getMessage(),
          remedy == null ? OTHER_MACHINE : remedy + "; then " + OTHER_MACHINE,
          e);
    }
  }

  /**
   * Returns whether all of a snapshot's memory image is on the disk, or will be. Durable snapshots
   * are. The base of clones is not, so this method writes it back.
   */
  boolean isIntact(SnapshotRecord base) {
    if (base.kind() != SnapshotRecord.Kind.CLONE_BASE) {
      return true;
    }
    Path mark = Layout.lostWrites(layout.snapshot(base.id()));
    if (Files.exists(mark)) {
      return false;
    }
    NodeId image = Layout.snapshotMemory(base.id());
    try {
      storage.writeBack(image);
      return true;
    } catch (RametException e) {
      if (!meansLostWrites(e)) {
        throw e;
      }
      LOG.log(System.Logger.Level.WARNING, image + " has lost writes", e);
      mark(mark);
      return false;
    }
  }

  private static boolean meansLostWrites(RametException e) {
    return e.code() == ErrorCode.NO_SPACE
        || (e.getCause() instanceof LinuxException cause && cause.errno() == EIO);
  }

  private static void mark(Path mark) {
    try {
      Files.createFile(mark);
    } catch (FileAlreadyExistsException there) {
      // Another capture found the same failure.
    } catch (IOException e) {
      LOG.log(System.Logger.Level.ERROR, "cannot note that writes were lost: " + mark, e);
    }
  }
}
