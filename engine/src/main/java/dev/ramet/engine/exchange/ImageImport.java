// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.capture.SnapshotTarget;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.ImageTransfer;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import java.nio.file.Path;
import java.util.Set;

/** Imports whole disk and memory images of an export. Thread-safe. */
final class ImageImport {
  /** Size alignment every backend accepts. */
  private static final int BLOCK = 4096;

  private final SnapshotTarget target;

  /** Creates the import into a root. */
  ImageImport(SnapshotTarget target) {
    this.target = target;
  }

  /** Makes an image of the export's. Returns how many bytes of it are data. */
  long make(ExportFiles files, String name, NodeId id, ProgressMeter meter) {
    ExportRecord.Item item = files.requireItem(name);
    StorageBackend backend = SplitStorage.backendOf(target.storage(), id);
    // A dense file may have lost its holes on the way, or its file system does not report them:
    // writing only data restores them.
    boolean dense = item.sizeBytes() % BLOCK == 0 && !files.hasHoles(item);
    long data =
        dense ? write(files, item, backend, id, meter) : copy(files, item, backend, id, meter);
    target.before("import.seal");
    backend.seal(id, Durability.DURABLE);
    return data;
  }

  /**
   * Writes the pages that are not zeros to an empty volume, and compares what was read with the
   * record.
   */
  private long write(
      ExportFiles files,
      ExportRecord.Item item,
      StorageBackend backend,
      NodeId id,
      ProgressMeter meter) {
    Path made = attach(backend.create(id, item.sizeBytes()), backend);
    try (Fd to = Fd.open(made, Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.NO_FOLLOW), 0)) {
      return files.copy(item, to, meter);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot write " + made, target.root());
    }
  }

  /**
   * Lets the backend import the file, which may share blocks, and then reads the stored image:
   * machines will run on that, even if the file has changed meanwhile.
   */
  private long copy(
      ExportFiles files,
      ExportRecord.Item item,
      StorageBackend backend,
      NodeId id,
      ProgressMeter meter) {
    Path source = files.path(item.path());
    ImageTransfer transfer = Capability.guarded(backend, ImageTransfer.class);
    Node node;
    if (transfer == null) {
      node = backend.importFrom(id, source);
      meter.add(item.sizeBytes());
    } else {
      CopyProgress progress = meter.copying(item.sizeBytes());
      node = transfer.importFrom(id, source, ImageFormat.RAW, progress);
    }
    target.before("import.verify");
    Path made = attach(node, backend);
    try (Fd from = Fd.openRead(made)) {
      ImageCopier.Summary content = ImageCopier.read(from, item.sizeBytes(), null, meter);
      files.requireMatch(item, content);
      return content.dataBytes();
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot read what was imported: " + made, target.root());
    }
  }

  private static Path attach(Node node, StorageBackend backend) {
    return backend.attach(node.id()).path();
  }
}
