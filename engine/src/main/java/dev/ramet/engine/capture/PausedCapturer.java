// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.workingset.WorkingSetFile;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Captures a paused sandbox by copying the snapshot that it resumes from, which already holds its
 * disk, device state and memory at the instant of the pause. Thread-safe; the caller holds the
 * sandbox.
 */
public final class PausedCapturer {
  private final SnapshotTarget target;
  private final SnapshotReclaimer reclaimer;

  public PausedCapturer(SnapshotTarget target, SnapshotReclaimer reclaimer) {
    this.target = target;
    this.reclaimer = reclaimer;
  }

  /** Returns whether this class captures the sandbox: whether it is paused. */
  public static boolean isPaused(SandboxRecord sandbox) {
    return sandbox.state() == SandboxRecord.State.PAUSED;
  }

  /**
   * Captures the sandbox. If this fails, nothing of the attempt is left.
   *
   * @param memory whether to include the memory, if there is any
   * @throws RametException {@code CONFLICT} if the order needs a running machine, {@code CORRUPT}
   *     if the snapshot it resumes from is gone
   */
  public SnapshotRecord capture(SandboxRecord sandbox, CaptureOrder order, boolean memory) {
    if (order.memoryMode() != null || order.verify()) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "sandbox " + sandbox.id() + " is paused: its memory was captured when it was",
          "leave out the memory mode and the verification, or resume the sandbox first",
          null);
    }
    String from = String.valueOf(sandbox.machine().memoryBase());
    try (SnapshotReclaimer.Pin pin = reclaimer.pin(findSnapshot(sandbox, from))) {
      if (!memory && pin.record().warm()) {
        throw new RametException(
            ErrorCode.CONFLICT,
            "sandbox "
                + sandbox.id()
                + " was paused with its memory: some files may exist only in that memory",
            "take the memory too, or resume the sandbox first",
            null);
      }
      return copy(pin.record(), sandbox, order);
    }
  }

  /**
   * Returns an existing snapshot that was made of the sandbox since it was paused, or null. All of
   * them hold the same, so any one will do.
   */
  public @Nullable SnapshotRecord findExisting(SandboxRecord sandbox) {
    SnapshotRecord held =
        target.snapshots().find(String.valueOf(sandbox.machine().memoryBase())).orElse(null);
    return held == null
        ? null
        : target.snapshots().all().stream()
            .filter(SnapshotStore::visible)
            .filter(record -> record.kind() == SnapshotRecord.Kind.SNAPSHOT)
            .filter(record -> sandbox.id().equals(record.sandboxId()) && record.content() == null)
            .filter(record -> record.warm() == held.warm())
            .filter(record -> record.createdAt().equals(held.createdAt()))
            .min(Comparator.comparing(SnapshotRecord::id))
            .orElse(null);
  }

  private SnapshotRecord findSnapshot(SandboxRecord sandbox, String from) {
    return target
        .snapshots()
        .find(from)
        .orElseThrow(
            () ->
                new RametException(
                    ErrorCode.CORRUPT,
                    "sandbox " + sandbox.id() + " was paused as " + from + ", which is gone",
                    "roll it back to a snapshot, or kill it",
                    null));
  }

  private SnapshotRecord copy(SnapshotRecord held, SandboxRecord sandbox, CaptureOrder order) {
    Path from = target.layout().snapshot(held.id());
    boolean durable = order.durability() == Durability.DURABLE;
    try (Undo undo = new Undo()) {
      Path partial = target.begin("snapshot", order.id(), undo);
      MachineStarter.shareKernel(from, partial);
      if (held.warm()) {
        shareDevices(Layout.devices(from), Layout.devices(partial));
        WorkingSetFile.inherit(from, partial);
        target.before("snapshot.memory");
        copy(Layout.snapshotMemory(held.id()), Layout.snapshotMemory(order.id()), order, undo);
      }
      target.before("snapshot.disk");
      copy(Layout.snapshotDisk(held.id()), Layout.snapshotDisk(order.id()), order, undo);
      target.before("snapshot.publish");
      SnapshotRecord record =
          Capturer.record(sandbox, order, held.createdAt(), held.identity(), held.capture());
      SnapshotRecord published = target.snapshots().publish(record, durable);
      undo.commit();
      return published;
    } catch (IOException e) {
      throw Errors.ioError("cannot snapshot " + sandbox.id(), target.root(), e);
    }
  }

  /** Links the device state files, which never change. */
  private static void shareDevices(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    for (Path file : FileTrees.children(from)) {
      Files.createLink(to.resolve(String.valueOf(file.getFileName())), file);
    }
  }

  private void copy(NodeId from, NodeId to, CaptureOrder order, Undo undo) {
    StorageBackend storage = target.storage();
    undo.add("copy " + to, () -> storage.delete(to));
    storage.fork(from, to, Durability.RELAXED);
    storage.seal(to, order.durability());
  }
}
