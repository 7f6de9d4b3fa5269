// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.state.ImageContent;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Writes the differences of a snapshot's images from those of its base, and records the base's
 * content, by which an import finds the base. Reads the base completely, so that corruption is
 * reported now rather than when the export is needed. Used by one thread.
 */
final class IncrementExporter {
  private final Layout layout;
  private final StorageBackend storage;
  private final SnapshotRecord record;
  private final SnapshotRecord base;
  private ImageContent.@Nullable Image disk;
  private ImageContent.@Nullable Image memory;

  /**
   * Creates the exporter of an increment.
   *
   * @param record the snapshot to export, pinned by the caller
   * @param base its base, pinned by the caller
   */
  IncrementExporter(
      Layout layout, StorageBackend storage, SnapshotRecord record, SnapshotRecord base) {
    this.layout = layout;
    this.storage = storage;
    this.record = record;
    this.base = base;
  }

  /**
   * Returns the additional work in bytes: comparing the images costs as much as copying them, and
   * the base is read as well.
   */
  long additionalBytes() {
    long read = size(Layout.snapshotDisk(base.id()));
    return (read + (withMemory() ? size(Layout.snapshotMemory(base.id())) : 0)) / 2;
  }

  private boolean withMemory() {
    return record.warm() && base.warm();
  }

  /** Returns the path of one of the base's small files. */
  Path baseFile(String name) {
    return layout.snapshot(base.id()).resolve(name);
  }

  /** Writes the disk's differences. */
  void writeDisk(ExportWriter writer) {
    ImageContent known = base.content();
    disk =
        delta(
            writer,
            ExportRecord.DISK_DELTA,
            ExportRecord.DISK,
            Layout.snapshotDisk(base.id()),
            Layout.snapshotDisk(record.id()),
            known == null ? null : known.disk());
  }

  /** Writes the memory image's differences. Returns false if one of the two has no memory. */
  boolean writeMemory(ExportWriter writer) {
    if (!withMemory()) {
      return false;
    }
    ImageContent known = base.content();
    memory =
        delta(
            writer,
            ExportRecord.MEMORY_DELTA,
            ExportRecord.MEMORY,
            Layout.snapshotMemory(base.id()),
            Layout.snapshotMemory(record.id()),
            known == null ? null : known.memory());
    return true;
  }

  private ImageContent.Image delta(
      ExportWriter writer,
      String delta,
      String name,
      NodeId from,
      NodeId to,
      ImageContent.@Nullable Image known) {
    Path path = storage.attach(from).path();
    ImageContent.Image found =
        writer.delta(delta, name, path, size(from), storage.attach(to).path(), size(to));
    if (known != null && known.sizeBytes() == found.sizeBytes()) {
      boolean comparable =
          BlockDigest.isByBlocks(known.sha256()) == BlockDigest.isByBlocks(found.sha256());
      String digest = comparable ? found.sha256() : writer.digest(known.sha256(), path, size(from));
      requireSame(path, digest, known.sha256());
    }
    return found;
  }

  private static void requireSame(Path path, String found, String known) {
    if (!found.equals(known)) {
      throw new RametException(
          ErrorCode.CORRUPT,
          path + " is damaged: its SHA-256 is " + found + ", not " + known,
          "export without --since; the base was corrupted after its import",
          null);
    }
  }

  private long size(NodeId id) {
    return storage
        .find(id)
        .orElseThrow(() -> RametException.notFound("image", id.value()))
        .sizeBytes();
  }

  /** Returns the base with the content that was read. */
  ExportRecord.Base base() {
    ImageContent.Image found = disk;
    if (found == null) {
      throw new IllegalStateException("no disk was written");
    }
    return new ExportRecord.Base(base.id(), base.name(), new ImageContent(found, memory));
  }
}
