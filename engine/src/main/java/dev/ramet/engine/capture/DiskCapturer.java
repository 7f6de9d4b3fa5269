// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.machine.GuestFreeze;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/**
 * Captures the disk of a machine without its memory: a guest started from the snapshot boots. The
 * caller holds the sandbox and has {@linkplain GuestFreeze frozen} its files. Thread-safe.
 */
public final class DiskCapturer {
  private final SnapshotTarget target;
  private final WritebackErrors lost;

  public DiskCapturer(SnapshotTarget target, WritebackErrors lost) {
    this.target = target;
    this.lost = lost;
  }

  /**
   * Captures the disk. If this fails, nothing of the attempt is left.
   *
   * @param copied runs when the guest may write to the disk again
   */
  public SnapshotRecord capture(
      SandboxRecord sandbox, CaptureOrder order, Instant instant, Runnable copied) {
    StorageBackend storage = target.storage();
    SandboxRecord.Machine machine = sandbox.machine();
    NodeId liveDisk = Layout.machineDisk(sandbox.id(), machine.number());
    NodeId disk = Layout.snapshotDisk(order.id());
    boolean durable = order.durability() == Durability.DURABLE;
    try (Undo undo = new Undo()) {
      Path partial = target.begin("snapshot", order.id(), undo);
      MachineStarter.shareKernel(target.layout().machine(sandbox.id(), machine.number()), partial);
      target.before("snapshot.disk");
      undo.add("disk of " + order.id(), () -> storage.delete(disk));
      lost.writeBack(sandbox);
      storage.snapshot(liveDisk, disk, order.durability());
      copied.run();
      if (durable) {
        storage.flush(disk);
      }
      target.before("snapshot.publish");
      SnapshotRecord record = Capturer.record(sandbox, order, instant, null, null);
      SnapshotRecord published = target.snapshots().publish(record, durable);
      undo.commit();
      return published;
    } catch (IOException e) {
      throw Errors.ioError("cannot snapshot " + sandbox.id(), target.root(), e);
    }
  }
}
