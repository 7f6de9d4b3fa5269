// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.Storage;
import dev.ramet.engine.capture.SnapshotTarget;
import dev.ramet.engine.machine.MachineSize;
import dev.ramet.engine.state.ImageContent;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotNames;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.image.CopyProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Imports snapshots and templates that were exported here or on another host. Before an import is
 * published, what is stored in the root is compared byte by byte with the export's record.
 * Thread-safe.
 */
public final class Importer {
  private static final int OWNER_FILE = 0600;

  private final SnapshotTarget target;
  private final Set<String> hypervisors;
  private final BaseFinder bases;
  private final ImageAssembler composer;
  private final ImageImport images;

  /**
   * Creates an importer.
   *
   * @param target where the imports are written
   * @param hypervisors ids of the hypervisors known here, whether or not they work
   * @param bases finds the bases of increments
   * @param composer makes images from increments
   */
  public Importer(
      SnapshotTarget target, Set<String> hypervisors, BaseFinder bases, ImageAssembler composer) {
    this.target = target;
    this.hypervisors = hypervisors;
    this.bases = bases;
    this.composer = composer;
    this.images = new ImageImport(target);
  }

  /**
   * The base of an increment.
   *
   * @param increment the increment
   * @param record the base snapshot on this host, pinned meanwhile
   */
  private record Base(Increment increment, SnapshotRecord record) {}

  public Storage.Exchanged run(
      Path directory, @Nullable String newName, CopyProgress progress, IdListener ids) {
    if (!directory.isAbsolute()) {
      throw RametException.invalid("directory", "must be an absolute path on the host");
    }
    ExportDirectory export = ExportDirectory.open(directory);
    SnapshotRecord found = export.snapshot();
    MachineSize.check(found.cpuCount(), found.memoryBytes());
    checkHypervisor(export, found.identity());
    TaggedName version = version(found, newName);
    try (SnapshotNames.Reservation reservation = reserve(version, found.kind());
        SnapshotReclaimer.Pin pin = bases.find(export)) {
      Increment increment = export.increment();
      if (increment == null || pin == null) {
        return make(
            export, null, version, new ProgressMeter(export.files().sizeBytes(), progress), ids);
      }
      Base base = new Base(increment, pin.record());
      ProgressMeter meter = new ProgressMeter(sizeBytes(export, base), progress);
      bases.check(export, increment, base.record(), meter);
      ImageAssembler.check(export, increment, meter);
      return make(export, base, version, meter, ids);
    } catch (IOException e) {
      throw Errors.ioError("cannot import " + directory, target.root(), e);
    }
  }

  private static long sizeBytes(ExportDirectory export, Base base) {
    return export.files().sizeBytes()
        // Images are written, and then read once more.
        + base.increment().sizeBytes() * 3 / 2
        + BaseFinder.toRead(base.record(), base.increment());
  }

  /** Returns the import's name and tags: the requested name, or those of the exported snapshot. */
  private static @Nullable TaggedName version(SnapshotRecord found, @Nullable String newName) {
    String name = found.name();
    if (newName != null) {
      return TaggedName.parse("name", newName, List.of());
    }
    return name == null ? null : new TaggedName(name, new TreeSet<>(found.tags().keySet()));
  }

  private SnapshotNames.Reservation reserve(
      @Nullable TaggedName version, SnapshotRecord.Kind kind) {
    try {
      return target.snapshots().names().reserve(version, kind, true);
    } catch (RametException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
      throw new RametException(
          e.code(), String.valueOf(e.getMessage()), "choose another name with --name", e);
    }
  }

  private void checkHypervisor(ExportDirectory export, @Nullable VmIdentity identity) {
    if (identity != null && !hypervisors.contains(identity.hypervisor())) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          export.files().path(ExportRecord.MANIFEST)
              + " describes a machine of the hypervisor "
              + identity.hypervisor()
              + ", which this host does not know",
          "install that hypervisor's plugin; ramet doctor lists the installed plugins",
          null);
    }
  }

  private Storage.Exchanged make(
      ExportDirectory export,
      @Nullable Base base,
      @Nullable TaggedName version,
      ProgressMeter meter,
      IdListener ids)
      throws IOException {
    SnapshotRecord found = export.snapshot();
    boolean template = found.kind() == SnapshotRecord.Kind.TEMPLATE;
    String id = Ids.newId(template ? 't' : 's');
    ids.assigning(List.of(id));
    ExportFiles files = export.files();
    try (Undo undo = new Undo()) {
      Path partial = target.begin("import", id, undo);
      long data = importSmallFile(files, base, ExportRecord.KERNEL, Layout.kernel(partial), meter);
      if (files.produces(ExportRecord.INITRD)) {
        data += importSmallFile(files, base, ExportRecord.INITRD, Layout.initrd(partial), meter);
      }
      target.before("import.disk");
      NodeId disk = Layout.snapshotDisk(id);
      undo.add("disk of " + id, () -> target.storage().delete(disk));
      data += importImage(export, base, ExportRecord.DISK, disk, meter);
      if (found.warm()) {
        target.before("import.devices");
        Files.createDirectory(Layout.devices(partial));
        for (ExportRecord.Item item : files.devices()) {
          data += importFile(files, item.path(), partial.resolve(item.path()), meter);
        }
        target.before("import.memory");
        NodeId memory = Layout.snapshotMemory(id);
        undo.add("memory image of " + id, () -> target.storage().delete(memory));
        data += importImage(export, base, ExportRecord.MEMORY, memory, meter);
      }
      long diskBytes = target.storage().find(disk).map(Node::sizeBytes).orElse(found.diskBytes());
      SnapshotRecord record =
          found.imported(id, version, diskBytes, byBlocks(id, export.content()));
      meter.report();
      target.before("import.publish");
      target.snapshots().publish(record, true);
      undo.commit();
      return new Storage.Exchanged(
          id,
          version == null ? null : version.toString(),
          template,
          base == null ? null : base.record().id(),
          export.directory(),
          files.count(),
          files.sizeBytes(),
          data);
    }
  }

  /** Returns the content of what was imported with digests that increments can be compared with. */
  private ImageContent byBlocks(String id, ImageContent content) {
    ImageContent.Image memory = content.memory();
    return new ImageContent(
        byBlocks(Layout.snapshotDisk(id), content.disk()),
        memory == null ? null : byBlocks(Layout.snapshotMemory(id), memory));
  }

  private ImageContent.Image byBlocks(NodeId id, ImageContent.Image image) {
    if (BlockDigest.isByBlocks(image.sha256())) {
      return image;
    }
    Path made = target.storage().attach(id).path();
    try (Fd file = Fd.openRead(made)) {
      ProgressMeter unwatched = new ProgressMeter(0, CopyProgress.NONE);
      String digest = BlockDigest.of(file, image.sizeBytes(), unwatched);
      return new ImageContent.Image(image.sizeBytes(), digest);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot read what was imported: " + made, target.root());
    }
  }

  /** Copies a file and compares it with the record. Returns how many bytes of it are data. */
  private long importFile(ExportFiles files, String name, Path copy, ProgressMeter meter) {
    try (Fd to = Fd.createNew(copy, OWNER_FILE)) {
      return files.copy(files.requireItem(name), to, meter);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot import " + files.path(name), target.root());
    }
  }

  /**
   * Copies a small file from the export, or from the base if the export leaves it out as unchanged.
   */
  private long importSmallFile(
      ExportFiles files, @Nullable Base base, String name, Path copy, ProgressMeter meter) {
    if (base == null || files.contains(name)) {
      return importFile(files, name, copy, meter);
    }
    Path source = target.layout().snapshot(base.record().id()).resolve(name);
    try (Fd from = Fd.openRead(source);
        Fd to = Fd.createNew(copy, OWNER_FILE)) {
      ExportRecord.Item item = files.requireProducedItem(name);
      boolean same = from.sizeBytes() == item.sizeBytes();
      if (!same
          || !ImageCopier.read(from, item.sizeBytes(), to, meter).sha256().equals(item.sha256())) {
        throw new RametException(
            ErrorCode.CONFLICT, source + " is not the " + name + " that the export builds on");
      }
      return 0;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot copy " + source, target.root());
    }
  }

  /** Imports a disk or memory image. Returns how many bytes of it are data. */
  private long importImage(
      ExportDirectory export, @Nullable Base base, String name, NodeId id, ProgressMeter meter) {
    ExportFiles files = export.files();
    if (base == null || files.contains(name)) {
      return images.make(files, name, id, meter);
    }
    boolean memory = name.equals(ExportRecord.MEMORY);
    String from = base.record().id();
    NodeId begin = memory ? Layout.snapshotMemory(from) : Layout.snapshotDisk(from);
    long data = composer.make(export, base.increment(), name, begin, id, meter);
    target.before("import.seal");
    target.storage().seal(id, Durability.DURABLE);
    return data;
  }
}
