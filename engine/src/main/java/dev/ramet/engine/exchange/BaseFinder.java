// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.state.ImageContent;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the base snapshot of an increment by its content. An imported snapshot has its content on
 * record, verified byte by byte. A snapshot that was made here has none: it is found by its id, or
 * else by its name, and then read. So is an imported one whose digests are of another kind than the
 * increment's, or else it is found by reading all of them that are of the same size. Thread-safe.
 */
public final class BaseFinder {
  private final SnapshotStore snapshots;
  private final StorageBackend storage;
  private final Path root;
  private final SnapshotReclaimer reclaimer;

  public BaseFinder(
      SnapshotStore snapshots, StorageBackend storage, Path root, SnapshotReclaimer reclaimer) {
    this.snapshots = snapshots;
    this.storage = storage;
    this.root = root;
    this.reclaimer = reclaimer;
  }

  /**
   * Finds the snapshot that may be the base, and pins it.
   *
   * @return null for a whole export
   * @throws RametException {@code NOT_FOUND} if there is none, {@code CONFLICT} if the snapshot
   *     with this id or name has other content on record
   */
  SnapshotReclaimer.@Nullable Pin find(ExportDirectory export) {
    Increment increment = export.increment();
    if (increment == null) {
      return null;
    }
    ExportRecord.Base base = increment.base();
    SnapshotRecord found = findFirst(record -> hasContent(record.content(), base.content()));
    if (found == null) {
      found = findFirst(record -> record.id().equals(base.id()));
    }
    String name = base.name();
    if (found == null && name != null) {
      found = snapshots.names().resolve(name).orElse(null);
    }
    if (found == null) {
      found =
          findFirst(
              record ->
                  isOtherKind(record.content(), base.content()) && reads(record, base.content()));
    }
    if (found == null) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          export.directory() + " builds on " + describe(base) + ", which this host does not have",
          "import that snapshot first, from a full export or an increment",
          null);
    }
    ImageContent known = found.content();
    if (known != null
        && !hasContent(known, base.content())
        && !isOtherKind(known, base.content())) {
      throw differentBase(export, found, base, known.disk().sha256());
    }
    return reclaimer.pin("snapshot or template", found.id());
  }

  private @Nullable SnapshotRecord findFirst(Predicate<SnapshotRecord> wanted) {
    return snapshots.all().stream()
        .filter(SnapshotStore::visible)
        .filter(wanted)
        .findFirst()
        .orElse(null);
  }

  private static boolean hasContent(@Nullable ImageContent known, ImageContent wanted) {
    return known != null
        && wanted.disk().equals(known.disk())
        && (wanted.memory() == null || Objects.equals(wanted.memory(), known.memory()));
  }

  /** Returns whether the digests cannot be compared, although the images are of the same size. */
  private static boolean isOtherKind(@Nullable ImageContent known, ImageContent wanted) {
    return known != null
        && known.disk().sizeBytes() == wanted.disk().sizeBytes()
        && BlockDigest.isByBlocks(known.disk().sha256())
            != BlockDigest.isByBlocks(wanted.disk().sha256());
  }

  /** Returns whether the disk of a snapshot is the wanted one; reads it. */
  private boolean reads(SnapshotRecord record, ImageContent wanted) {
    NodeId disk = Layout.snapshotDisk(record.id());
    ImageContent.Image image = wanted.disk();
    Path path = storage.attach(disk).path();
    try (Fd file = Fd.openRead(path)) {
      ProgressMeter unwatched = new ProgressMeter(0, CopyProgress.NONE);
      return BlockDigest.of(image.sha256(), file, image.sizeBytes(), unwatched)
          .equals(image.sha256());
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot read " + path, root);
    }
  }

  private static String describe(ExportRecord.Base base) {
    String name = base.name() == null ? "" : base.name() + " ";
    return "the snapshot "
        + name
        + "("
        + base.id()
        + ") whose disk has the SHA-256 "
        + base.content().disk().sha256();
  }

  private static RametException differentBase(
      ExportDirectory export, SnapshotRecord found, ExportRecord.Base base, String what) {
    return new RametException(
        ErrorCode.CONFLICT,
        export.directory()
            + " builds on "
            + describe(base)
            + "; "
            + (found.name() == null ? found.id() : found.name() + " (" + found.id() + ")")
            + " holds something else: "
            + what,
        "import the right snapshot first, under another name",
        null);
  }

  /** Returns how many bytes of the base must be read to verify its content. */
  static long toRead(SnapshotRecord found, Increment increment) {
    ImageContent.Image memory = increment.base().content().memory();
    return hasContent(found.content(), increment.base().content())
        ? 0
        : increment.base().content().disk().sizeBytes() + (memory == null ? 0 : memory.sizeBytes());
  }

  /**
   * Reads and verifies a base whose content on record, if any, does not prove that it is the one.
   *
   * @throws RametException {@code CONFLICT} if its content differs
   */
  void check(
      ExportDirectory export, Increment increment, SnapshotRecord found, ProgressMeter meter) {
    if (hasContent(found.content(), increment.base().content())) {
      return;
    }
    ImageContent wanted = increment.base().content();
    NodeId disk = Layout.snapshotDisk(found.id());
    check(export, increment, found, disk, wanted.disk(), meter);
    ImageContent.Image memory = wanted.memory();
    if (memory != null) {
      NodeId image = Layout.snapshotMemory(found.id());
      check(export, increment, found, image, memory, meter);
    }
  }

  private void check(
      ExportDirectory export,
      Increment increment,
      SnapshotRecord found,
      NodeId id,
      ImageContent.Image wanted,
      ProgressMeter meter) {
    Node node = storage.find(id).orElse(null);
    if (node == null) {
      throw differentBase(export, found, increment.base(), "it has no " + id);
    }
    if (node.sizeBytes() != wanted.sizeBytes()) {
      String size = id + " has " + node.sizeBytes() + " bytes, not " + wanted.sizeBytes();
      throw differentBase(export, found, increment.base(), size);
    }
    Path path = storage.attach(id).path();
    try (Fd file = Fd.openRead(path)) {
      String content = BlockDigest.of(wanted.sha256(), file, wanted.sizeBytes(), meter);
      meter.add(wanted.sizeBytes());
      if (!content.equals(wanted.sha256())) {
        String digest = id + " has the SHA-256 " + content + ", not " + wanted.sha256();
        throw differentBase(export, found, increment.base(), digest);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot read " + path, root);
    }
  }
}
