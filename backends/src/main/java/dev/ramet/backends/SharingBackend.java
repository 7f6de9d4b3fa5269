// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.backends.copy.CopyStrategy;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.share.BlockSharing;
import dev.ramet.backends.share.Compactor;
import dev.ramet.backends.share.Preparations;
import dev.ramet.backends.share.SharingCopier;
import dev.ramet.backends.share.Throttle;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.ImageCompaction;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.WriteLog;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * A storage backend of plain files whose copies share blocks and can be prepared in advance, and
 * whose snapshots can be compacted. Thread-safe.
 */
public class SharingBackend extends FileBackend implements CopyPreparation, ImageCompaction {
  /** The features of every such backend. */
  @SuppressWarnings("HidingField")
  public static final Set<StorageFeature> FEATURES = features();

  private final Preparations preparations;
  private final Compactor compactor;

  /** An open root from which a backend is created. */
  public static final class Opened {
    private final Parts parts;
    private final SharingCopier copier;

    private Opened(Parts parts, SharingCopier copier) {
      this.parts = parts;
      this.copier = copier;
    }
  }

  /** Creates a backend, which may be a subclass. */
  public interface Factory<T extends SharingBackend> {
    /** Makes it; a failure gives up the root. */
    T create(Opened root) throws LinuxException;
  }

  /**
   * For subclasses.
   *
   * @param ownNames as {@link dev.ramet.spi.storage.StorageInspection#ownNames}
   */
  protected SharingBackend(Opened root, Set<String> ownNames) throws LinuxException {
    super(root.parts, ownNames);
    this.preparations = root.copier.preparations();
    this.compactor = root.copier.compactor();
  }

  private static Set<StorageFeature> features() {
    Set<StorageFeature> all = new HashSet<>(FileBackend.FEATURES);
    all.add(StorageFeature.COPY_PREPARATION);
    all.add(StorageFeature.IMAGE_COMPACTION);
    return Set.copyOf(all);
  }

  /** Opens a root like {@link FileBackend#open(Path, String, int, CopyStrategy, Steps)}. */
  public static SharingBackend open(
      Path root, String id, int format, BlockSharing strategy, Steps steps) {
    return open(root, id, format, strategy, steps, opened -> new SharingBackend(opened, OWN_NAMES));
  }

  /** Opens a root for a subclass. */
  public static <T extends SharingBackend> T open(
      Path root, String id, int format, BlockSharing strategy, Steps steps, Factory<T> making) {
    return FileBackend.open(
        root,
        id,
        format,
        steps,
        (layout, disk, lock) -> {
          SharingCopier copier = new SharingCopier(layout, disk, strategy);
          NodeFiles files = new NodeFiles(layout, disk);
          return making.create(
              new Opened(new Parts(layout, disk, files, strategy, copier, lock), copier));
        });
  }

  @Override
  public void prepare(NodeId source, double share) {
    prepare(source, share, WriteLog.NONE);
  }

  @Override
  public void prepare(NodeId source, double share, WriteLog log) {
    Throttle pace = new Throttle(share);
    nodes()
        .use(
            source,
            "prepare a copy of " + source,
            entry -> {
              preparations.prepare(entry, pace, log);
              return entry;
            });
  }

  @Override
  public void discard(NodeId source) {
    requireOpen();
    preparations.forget(source);
  }

  @Override
  public Compacted compact(NodeId snapshot, long mostAddedBytes, double share) {
    Throttle pace = new Throttle(share);
    if (mostAddedBytes < 0) {
      throw RametException.invalid("most added bytes", "must not be negative");
    }
    return nodes()
        .use(
            snapshot,
            "compact " + snapshot,
            entry -> {
              if (entry.require().kind() != Node.Kind.SNAPSHOT) {
                throw new RametException(
                    ErrorCode.CONFLICT,
                    "a volume cannot be compacted: " + snapshot,
                    "compact a snapshot of it",
                    null);
              }
              // The prepared copy still has the old extents and would keep their space.
              preparations.forget(snapshot);
              return compactor.compact(entry, mostAddedBytes, pace);
            });
  }

  /**
   * {@inheritDoc} A prepared copy does not count as a user: space that a snapshot shares with it
   * alone is the snapshot's exclusive space, as measured when that copy was made.
   */
  @Override
  public Usage usage(NodeId id) {
    Usage found = super.usage(id);
    Long before = preparations.exclusiveBytesBefore(id);
    if (before == null || before <= found.exclusiveBytes()) {
      return found;
    }
    return new Usage(Math.min(before, found.referencedBytes()), found.referencedBytes());
  }
}
