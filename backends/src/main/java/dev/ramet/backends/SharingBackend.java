// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageCapabilities;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * A storage backend of plain files whose copies share blocks, and can be made ahead. Thread-safe.
 */
public final class SharingBackend extends FileBackend implements CopyPreparation {
  /** What every such backend can do. */
  @SuppressWarnings("HidingField")
  public static final Set<String> CAPABILITIES = capabilities();

  private final Preparations preparations;

  private SharingBackend(Parts parts, Preparations preparations) throws LinuxException {
    super(parts);
    this.preparations = preparations;
  }

  private static Set<String> capabilities() {
    Set<String> all = new HashSet<>(FileBackend.CAPABILITIES);
    all.add(StorageCapabilities.COPY_ON_WRITE);
    all.add(StorageCapabilities.COPY_PREPARATION);
    return Set.copyOf(all);
  }

  /** Opens a root like {@link FileBackend#open(Path, String, int, CopyStrategy, Steps)}. */
  public static SharingBackend open(
      Path root, String id, int format, BlockSharing strategy, Steps steps) {
    return FileBackend.open(
        root, id, format, steps, (layout, disk, lock) -> make(layout, disk, strategy, lock));
  }

  private static SharingBackend make(Layout layout, Disk disk, BlockSharing strategy, Fd lock)
      throws LinuxException {
    SharingCopier copier = new SharingCopier(layout, disk, strategy);
    Parts parts = new Parts(layout, disk, new NodeFiles(layout, disk), strategy, copier, lock);
    return new SharingBackend(parts, copier.preparations());
  }

  @Override
  public void prepare(NodeId source, double share) {
    Pace pace = new Pace(share);
    nodes()
        .use(
            source,
            "make a copy of " + source + " ahead",
            entry -> {
              preparations.prepare(entry, pace);
              return entry;
            });
  }

  @Override
  public void discard(NodeId source) {
    requireOpen();
    preparations.forget(source);
  }
}
