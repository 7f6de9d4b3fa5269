// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs;

import dev.ramet.backends.SharingBackend;
import dev.ramet.backends.copy.CopyProbe;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.root.ReadOnlyRoot;
import dev.ramet.backends.share.BlockSharing;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.KernelCopy;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.image.CopyCost;
import dev.ramet.spi.storage.root.RootExamination;
import java.nio.file.Path;
import java.util.Set;

/**
 * Provides {@code reflink-xfs}: every snapshot and fork is one {@code FICLONE}. XFS only, because
 * the cost of a clone and the behaviour without free space differ between file systems.
 */
public final class ReflinkXfsProvider implements StorageBackendProvider, RootExamination {
  private static final String ID = "reflink-xfs";
  private static final int FORMAT = 1;

  /** XFS writes a block that nothing shares in place. */
  private static final StorageFacts FACTS =
      new StorageFacts(CopyCost.PER_EXTENT, false, false, SharingBackend.FEATURES);

  static final BlockSharing CLONE = KernelCopy::share;
  private static final String REMEDY =
      "put the data root on XFS made with mkfs.xfs -m reflink=1, or let Ramet provision a pool";

  /** Called by {@link java.util.ServiceLoader}. */
  public ReflinkXfsProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public StorageFacts atBest() {
    return FACTS;
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    Path root = where.root();
    try {
      if (FsInfo.of(root).type() != FsInfo.XFS) {
        return new ProbeResult.Unusable("not XFS", HostErrors.describe(root), REMEDY);
      }
      return new ProbeResult.Usable(FACTS, CopyProbe.run(root, CLONE));
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.EOPNOTSUPP) {
        return new ProbeResult.Unusable(
            "XFS without reflink", HostErrors.describe(root) + ": " + e.getMessage(), REMEDY);
      }
      ProbeResult.Unusable unusable = CopyProbe.explain(e, root);
      return unusable != null ? unusable : new ProbeResult.Failed(e);
    } catch (RuntimeException e) {
      return new ProbeResult.Failed(e);
    }
  }

  @Override
  public StorageBackend open(ProbeContext where) {
    return open(where.root(), Steps.NONE);
  }

  @Override
  public StorageBackend examine(ProbeContext where) {
    refuseOtherFileSystems(where.root());
    return ReadOnlyRoot.openFiles(where.root(), ID, FORMAT, Set.of("volumes"));
  }

  /** Opens a root step by step. */
  static StorageBackend open(Path root, Steps steps) {
    refuseOtherFileSystems(root);
    return SharingBackend.open(root, ID, FORMAT, CLONE, steps);
  }

  /**
   * A pool that is not mounted leaves an empty directory of the file system around it: a root made
   * there would hide behind the pool's own the next time.
   */
  private static void refuseOtherFileSystems(Path root) {
    try {
      if (FsInfo.of(root).type() != FsInfo.XFS) {
        throw new RametException(
            ErrorCode.HOST_UNFIT,
            "reflink-xfs needs an XFS file system, and this is not one: "
                + HostErrors.describe(root),
            "mount the right file system; " + REMEDY,
            null);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "open the storage root " + root, root);
    }
  }
}
