// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.Storage;
import dev.ramet.engine.root.OpenRoot;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.storage.ImageTransfer;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.image.CopyProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Exports snapshots and templates to directories outside the root; they stay pinned meanwhile. An
 * export appears under its name when everything in it is durable, or not at all. Thread-safe.
 */
public final class Exporter {
  private final Path dataRoot;
  private final Layout layout;
  private final StorageBackend storage;
  private final StepObserver steps;
  private final List<OpenRoot> places;
  private final SnapshotReclaimer reclaimer;

  /**
   * Creates the exporter of a root.
   *
   * @param dataRoot the directory that the operator named
   * @param places the root and the one of its memory images
   */
  public Exporter(
      Path dataRoot,
      Layout layout,
      StorageBackend storage,
      List<OpenRoot> places,
      SnapshotReclaimer reclaimer,
      StepObserver steps) {
    this.dataRoot = dataRoot;
    this.layout = layout;
    this.storage = storage;
    this.steps = steps;
    this.places = List.copyOf(places);
    this.reclaimer = reclaimer;
  }

  /**
   * Exports a snapshot or template.
   *
   * @param since id or name of the base of an increment, or null for a whole export
   */
  public Storage.Exchanged export(
      String idOrName, @Nullable String since, Path directory, CopyProgress progress) {
    ExportName target = target(directory);
    try (SnapshotReclaimer.Pin pin = reclaimer.pin("snapshot or template", idOrName)) {
      if (since == null) {
        return export(pin.record(), null, target, progress);
      }
      try (SnapshotReclaimer.Pin base = reclaimer.pin("snapshot or template", since)) {
        if (base.record().id().equals(pin.record().id())) {
          throw RametException.invalid(
              "since", "must be a different snapshot from the exported one");
        }
        return export(pin.record(), base.record(), target, progress);
      }
    } catch (IOException e) {
      throw Errors.ioError("cannot export to " + target.path(), layout.root(), e);
    }
  }

  /** Returns the export's final path, with symbolic links in its parent resolved. */
  private ExportName target(Path directory) {
    if (!directory.isAbsolute()) {
      throw RametException.invalid("directory", "must be an absolute path on the host");
    }
    Path target = directory.normalize();
    Path parent = target.getParent();
    Path name = target.getFileName();
    if (parent == null || name == null) {
      throw RametException.invalid("directory", "cannot be " + target);
    }
    if (!Files.isDirectory(parent)) {
      throw RametException.notFound("directory", parent.toString());
    }
    try {
      Path real = parent.toRealPath();
      refuseInside(real, dataRoot);
      for (OpenRoot place : places) {
        refuseInside(real, place.path());
      }
      ExportName found = new ExportName(real.resolve(name));
      found.refuseTaken();
      return found;
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot reach " + parent + ": " + e, e);
    }
  }

  /** Refuses a directory inside a root, where the export would be a foreign file. */
  private static void refuseInside(Path parent, Path root) throws IOException {
    if (parent.startsWith(root.toRealPath())) {
      throw RametException.invalid("directory", "must not be inside a root of Ramet: " + parent);
    }
  }

  private Storage.Exchanged export(
      SnapshotRecord record,
      @Nullable SnapshotRecord base,
      ExportName target,
      CopyProgress progress)
      throws IOException {
    Path from = layout.snapshot(record.id());
    List<Path> devices = record.warm() ? devices(record, from) : List.of();
    boolean initrd = Files.exists(Layout.initrd(from), LinkOption.NOFOLLOW_LINKS);
    IncrementExporter increment =
        base == null ? null : new IncrementExporter(layout, storage, record, base);
    long more = increment == null ? 0 : increment.additionalBytes();
    ProgressMeter meter = new ProgressMeter(sizeBytes(record, from, devices) + more, progress);
    try (Undo undo = new Undo()) {
      steps.before("export.intent");
      ExportIntent intent = ExportIntent.begin(layout, target.parent());
      undo.add("export to " + target.path(), intent::rollBack);
      steps.before("export.directory");
      ExportWriter writer = new ExportWriter(intent.partial(), target, meter);
      steps.before("export.kernel");
      exportSmallFile(ExportRecord.KERNEL, Layout.kernel(from), increment, writer);
      if (initrd) {
        exportSmallFile(ExportRecord.INITRD, Layout.initrd(from), increment, writer);
      }
      steps.before("export.disk");
      if (increment == null) {
        exportImage(Layout.snapshotDisk(record.id()), ExportRecord.DISK, writer, meter);
      } else {
        increment.writeDisk(writer);
      }
      if (record.warm()) {
        steps.before("export.devices");
        writer.makeDevices();
        for (Path file : devices) {
          writer.copy(ExportRecord.DEVICES + "/" + file.getFileName(), file);
        }
        steps.before("export.memory");
        if (increment == null || !increment.writeMemory(writer)) {
          exportImage(Layout.snapshotMemory(record.id()), ExportRecord.MEMORY, writer, meter);
        }
      }
      steps.before("export.record");
      writer.finish(record, increment == null ? null : increment.base());
      meter.report();
      steps.before("export.publish");
      writer.publish();
      undo.add("export to " + target.path(), () -> FileTrees.delete(target.path()));
      steps.before("export.sync");
      writer.syncName();
      undo.commit();
      intent.delete();
      return new Storage.Exchanged(
          record.id(),
          record.name(),
          record.kind() == SnapshotRecord.Kind.TEMPLATE,
          base == null ? null : base.id(),
          target.path(),
          writer.files(),
          writer.sizeBytes(),
          writer.dataBytes());
    }
  }

  private static void exportSmallFile(
      String name, Path source, @Nullable IncrementExporter increment, ExportWriter writer)
      throws IOException {
    if (increment == null) {
      writer.copy(name, source);
    } else {
      writer.copyUnlessSame(name, source, increment.baseFile(name));
    }
  }

  private List<Path> devices(SnapshotRecord record, Path from) throws IOException {
    List<Path> files = FileTrees.children(Layout.devices(from));
    if (files.isEmpty()) {
      throw corruptSnapshot(record, "its device state is gone");
    }
    for (Path file : files) {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
          || !ExportDirectory.isDevice(ExportRecord.DEVICES + "/" + file.getFileName())) {
        throw new RametException(
            ErrorCode.UNSUPPORTED,
            "the device state of "
                + record.id()
                + " has an entry that cannot be exported: "
                + file);
      }
    }
    return files;
  }

  private long sizeBytes(SnapshotRecord record, Path from, List<Path> devices) throws IOException {
    long sum = node(record, Layout.snapshotDisk(record.id()), "disk").sizeBytes();
    if (record.warm()) {
      sum += node(record, Layout.snapshotMemory(record.id()), "memory image").sizeBytes();
    }
    List<Path> small = new ArrayList<>(devices);
    small.add(Layout.kernel(from));
    if (!Files.exists(Layout.kernel(from))) {
      throw corruptSnapshot(record, "its kernel is gone");
    }
    small.add(Layout.initrd(from));
    for (Path file : small) {
      sum += Files.exists(file) ? Files.size(file) : 0;
    }
    return sum;
  }

  private Node node(SnapshotRecord record, NodeId id, String what) {
    return storage.find(id).orElseThrow(() -> corruptSnapshot(record, "its " + what + " is gone"));
  }

  private static RametException corruptSnapshot(SnapshotRecord record, String what) {
    return new RametException(
        ErrorCode.CORRUPT,
        "cannot export " + record.id() + ": " + what,
        "run: ramet storage check",
        null);
  }

  /**
   * Exports an image. Uses the backend's own transfer if it has one, because that may share blocks.
   * Not over a network: nothing can be shared there, and the copy would be read back over it.
   */
  private void exportImage(NodeId id, String name, ExportWriter writer, ProgressMeter meter) {
    StorageBackend backend = SplitStorage.backendOf(storage, id);
    long size = backend.find(id).orElseThrow(() -> imageMissing(id)).sizeBytes();
    ImageTransfer transfer = Capability.guarded(backend, ImageTransfer.class);
    if (transfer == null || writer.isOverNetwork()) {
      writer.copy(name, backend.attach(id).path(), size);
    } else {
      transfer.exportTo(id, writer.path(name), meter.copying(size));
      writer.add(name);
    }
  }

  private static RametException imageMissing(NodeId id) {
    return RametException.notFound("image", id.value());
  }
}
