// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.node.Copier;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.WriteLog;
import java.nio.file.Path;

/**
 * Creates copies that share blocks. A copy is an unnamed file until it is complete, then gets its
 * name by one link(2); {@link BlockSharing} says what one sync makes durable. This takes half the
 * time of creating a copy under another name and renaming it.
 */
public final class SharingCopier implements Copier {
  private final Layout layout;
  private final Disk disk;
  private final BlockSharing strategy;
  private final Preparations preparations;
  private final Compactor compactor;

  public SharingCopier(Layout layout, Disk disk, BlockSharing strategy) {
    this.layout = layout;
    this.disk = disk;
    this.strategy = strategy;
    this.preparations = new Preparations(layout, disk, strategy);
    this.compactor = new Compactor(layout, disk, strategy);
  }

  public Preparations preparations() {
    return preparations;
  }

  public Compactor compactor() {
    return compactor;
  }

  @Override
  public long snapshot(NodeIndex.Entry source, NodeId id, Durability durability, WriteLog log)
      throws LinuxException {
    Path place = layout.directory(source.origin());
    return make(
        () -> copy(source, place, NodeFiles.SNAPSHOT_MODE, log),
        place.resolve(id.value()),
        durability);
  }

  @Override
  public long fork(NodeIndex.Entry source, NodeId id, Durability durability) throws LinuxException {
    Path place = layout.directory(id);
    disk.makeDirectory(place, NodeFiles.DIRECTORY_MODE);
    try {
      return make(
          () -> copy(source, place, NodeFiles.VOLUME_MODE, WriteLog.NONE),
          layout.file(id, id),
          durability);
    } catch (LinuxException | RuntimeException | Error e) {
      NodeFiles.undo(e, () -> disk.removeDirectory(place));
      throw e;
    }
  }

  /** Creates an unnamed file. */
  private interface Making {
    Fd make() throws LinuxException;
  }

  private long make(Making making, Path path, Durability durability) throws LinuxException {
    try (Fd copy = making.make()) {
      long size = copy.sizeBytes();
      disk.link(copy, path);
      try {
        if (durability == Durability.DURABLE) {
          disk.sync(copy);
        }
      } catch (LinuxException | RuntimeException | Error e) {
        NodeFiles.undo(e, () -> disk.unlink(path));
        throw e;
      }
      return size;
    }
  }

  private Fd copy(NodeIndex.Entry source, Path place, int mode, WriteLog log)
      throws LinuxException {
    try (Fd from = Fd.openRead(layout.file(source.origin(), source.id()))) {
      Fd prepared = preparations.takeCopy(source, from, log);
      Fd copy = prepared != null ? prepared : disk.makeUnnamed(place, mode);
      boolean done = false;
      try {
        if (prepared == null) {
          disk.steps().before("share blocks");
          strategy.copy(from, copy);
        } else if (mode != NodeFiles.VOLUME_MODE) {
          disk.chmod(copy, mode);
        }
        done = true;
        return copy;
      } finally {
        if (!done) {
          copy.close();
        }
      }
    }
  }

  @Override
  public void forget(NodeId id) {
    preparations.forget(id);
  }

  @Override
  public void close() {
    compactor.close();
    preparations.close();
  }
}
