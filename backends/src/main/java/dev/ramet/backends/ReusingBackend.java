// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.backends.copy.CopyStrategy;
import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.node.ContentCopier;
import dev.ramet.backends.node.Copier;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.spi.storage.VolumeReuse;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * A storage backend of plain files whose copies copy all bytes, and which avoids copies where it
 * can: a snapshot that is no longer needed can become a volume. Thread-safe.
 */
public final class ReusingBackend extends FileBackend implements VolumeReuse {
  /** The features of every such backend. */
  @SuppressWarnings("HidingField")
  public static final Set<StorageFeature> FEATURES = features();

  private final NodeFiles files;
  private final Copier copier;

  private ReusingBackend(Parts parts) throws LinuxException {
    super(parts);
    this.files = parts.files();
    this.copier = parts.copier();
  }

  private static Set<StorageFeature> features() {
    Set<StorageFeature> all = new HashSet<>(FileBackend.FEATURES);
    all.add(StorageFeature.VOLUME_REUSE);
    return Set.copyOf(all);
  }

  /** Opens a root like {@link FileBackend#open(Path, String, int, CopyStrategy, Steps)}. */
  public static ReusingBackend open(
      Path root, String id, int format, CopyStrategy strategy, Steps steps) {
    return FileBackend.open(
        root, id, format, steps, (layout, disk, lock) -> make(layout, disk, strategy, lock));
  }

  private static ReusingBackend make(Layout layout, Disk disk, CopyStrategy strategy, Fd lock)
      throws LinuxException {
    NodeFiles files = new NodeFiles(layout, disk);
    Copier copier = new ContentCopier(layout, files, strategy);
    return new ReusingBackend(new Parts(layout, disk, files, strategy, copier, lock));
  }

  @Override
  public Node reuse(NodeId snapshot, NodeId id) {
    copier.forget(snapshot);
    return nodes()
        .reuse(
            snapshot,
            id,
            entry -> {
              copier.forget(snapshot);
              files.reuse(snapshot, id);
            });
  }
}
