// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import static java.lang.System.Logger.Level.INFO;

import dev.ramet.backends.copy.CopyProbe;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FileStat;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.Host;
import dev.ramet.linux.file.KernelCopy;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.ProvisioningStatus.State;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Creates, mounts and removes the pool that the package describes. Needs root. */
public final class XfsProvisioner implements StorageProvisioner {
  static final String ID = "xfs-loop";
  private static final String BACKEND = "reflink-xfs";
  private static final System.Logger LOG = System.getLogger(XfsProvisioner.class.getName());
  private static final Path LOOP_CONTROL = Path.of("/dev/loop-control");

  /** Called by {@link java.util.ServiceLoader}. */
  public XfsProvisioner() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String backendId() {
    return BACKEND;
  }

  @Override
  public ProvisioningStatus status(Path dataRoot) {
    Pool pool = pool(dataRoot);
    try {
      if (PoolState.isMounted(pool)) {
        return activeStatus(pool);
      }
      if (PoolState.isCreated(pool)) {
        return new ProvisioningStatus(
            State.STOPPED,
            pool.mountPoint(),
            PoolState.sizeOf(pool).sizeBytes(),
            pool.image() + " is not mounted",
            "provision it again, which mounts it");
      }
      if (supportsReflinks(pool.dataRoot())) {
        return new ProvisioningStatus(
            State.UNNEEDED,
            pool.dataRoot(),
            0,
            "clones work on " + HostErrors.describe(pool.dataRoot()),
            null);
      }
      requireHost();
      PoolState.refuseForeign(pool);
      return new ProvisioningStatus(
          State.POSSIBLE,
          pool.mountPoint(),
          PoolSize.chooseBytes(pool.dataRoot(), FsInfo.of(pool.dataRoot()), null),
          "clones do not work on " + HostErrors.describe(pool.dataRoot()),
          "provision a pool: XFS in a sparse image file");
    } catch (RametException e) {
      return impossibleStatus(pool, e);
    } catch (LinuxException e) {
      RametException failure =
          HostErrors.translate(e, "look for a pool in " + dataRoot, pool.dataRoot());
      if (failure.code() != ErrorCode.NO_SPACE) {
        throw failure;
      }
      // A clone is tried by writing; on a full file system none can be made.
      return impossibleStatus(pool, failure);
    }
  }

  private static ProvisioningStatus impossibleStatus(Pool pool, RametException e) {
    return new ProvisioningStatus(
        State.IMPOSSIBLE, pool.dataRoot(), 0, String.valueOf(e.getMessage()), e.remedy());
  }

  private static ProvisioningStatus activeStatus(Pool pool) throws LinuxException {
    FileStat image = PoolState.sizeOf(pool);
    long promised = image.sizeBytes() - image.allocatedBytes();
    long free = FsInfo.of(pool.dataRoot()).freeBytes();
    return new ProvisioningStatus(
        State.ACTIVE,
        pool.mountPoint(),
        image.sizeBytes(),
        "%s takes %d of %d MiB, and %d MiB are free around it"
            .formatted(
                pool.image(), image.allocatedBytes() >> 20, image.sizeBytes() >> 20, free >> 20),
        free >= promised
            ? null
            : "free space around the pool: it can still grow by more than the free space, and"
                + " writes to it fail once no space is left");
  }

  @Override
  public Path provision(Path dataRoot, @Nullable Long sizeBytes) {
    Pool pool = pool(dataRoot);
    try {
      // Before the lock, because it is the usual case and changes nothing.
      if (PoolState.isMounted(pool)) {
        return pool.mountPoint();
      }
      if (!PoolState.isCreated(pool) && supportsReflinks(pool.dataRoot())) {
        return pool.dataRoot();
      }
      requireHost();
      PoolLock lock = PoolLock.acquire(pool);
      try (lock) {
        provisionLocked(pool, sizeBytes);
      }
      return pool.mountPoint();
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "provision a pool in " + dataRoot, pool.dataRoot());
    }
  }

  private static void provisionLocked(Pool pool, @Nullable Long sizeBytes) throws LinuxException {
    if (PoolState.isMounted(pool)) {
      return;
    }
    PoolState.refuseForeign(pool);
    if (!Files.exists(pool.image())) {
      PoolMaker.make(
          pool, PoolSize.chooseBytes(pool.dataRoot(), FsInfo.of(pool.dataRoot()), sizeBytes));
    }
    PoolMount.mount(pool);
  }

  /** Root creates the pool; the owner of the data root works in it. */
  static void giveToOwner(Pool pool, Path path) {
    try {
      Files.setOwner(path, Files.getOwner(pool.dataRoot()));
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot give " + path + " to the data root's owner", e);
    }
  }

  @Override
  public boolean stop(Path dataRoot) {
    Pool pool = pool(dataRoot);
    try {
      if (!PoolState.isMounted(pool)) {
        return false;
      }
      if (Host.effectiveUid() != 0) {
        throw new RametException(
            ErrorCode.HOST_UNFIT,
            "only root can unmount a pool",
            "run `ramet storage unmount` as root",
            null);
      }
      PoolLock lock = PoolLock.acquire(pool);
      try (lock) {
        return PoolState.isMounted(pool) && PoolMount.unmount(pool);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "unmount the pool in " + dataRoot, pool.dataRoot());
    }
  }

  @Override
  public void remove(Path dataRoot) {
    Pool pool = pool(dataRoot);
    try {
      if (PoolMarker.read(pool) == null && !Files.exists(pool.image())) {
        return;
      }
      PoolLock lock = PoolLock.acquire(pool);
      try (lock) {
        removeLocked(pool);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "remove the pool in " + dataRoot, pool.dataRoot());
    }
  }

  private static void removeLocked(Pool pool) throws LinuxException {
    boolean mounted = PoolState.isMounted(pool);
    if (!mounted) {
      PoolState.refuseForeign(pool);
    }
    if (mounted) {
      PoolMount.unmount(pool);
    }
    PathCalls.unlink(pool.image());
    PathCalls.unlink(pool.newImage());
    PathCalls.removeDirectory(pool.mountPoint());
    // Last, so that after a crash in between the rest is still known to be ours.
    PathCalls.unlink(pool.marker());
    Fd.syncDirectory(pool.dataRoot());
    LOG.log(INFO, "removed {0}", pool.image());
  }

  private static boolean supportsReflinks(Path dataRoot) throws LinuxException {
    long type = FsInfo.of(dataRoot).type();
    if (type != FsInfo.XFS && type != FsInfo.BTRFS) {
      return false;
    }
    try {
      CopyProbe.run(dataRoot, KernelCopy::share);
      return true;
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.EOPNOTSUPP) {
        return false;
      }
      throw e;
    }
  }

  private static void requireHost() {
    if (Host.effectiveUid() != 0) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "only root can mount a pool",
          "run `ramet storage provision` once as root",
          null);
    }
    PoolMaker.mkfs();
    if (!Files.exists(LOOP_CONTROL)) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "this host has no loop devices: " + LOOP_CONTROL + " is absent",
          "modprobe loop; in a container, give it access to the host's loop devices",
          null);
    }
  }

  private static Pool pool(Path dataRoot) {
    try {
      return new Pool(dataRoot.toRealPath());
    } catch (IOException e) {
      throw RametException.invalid("data root", "not an existing directory: " + dataRoot);
    }
  }
}
