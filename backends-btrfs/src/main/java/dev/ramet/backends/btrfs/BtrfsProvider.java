// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

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
import dev.ramet.linux.file.Host;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.spi.storage.image.CopyCost;
import dev.ramet.spi.storage.root.RootExamination;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Provides {@code btrfs}: every snapshot and fork is one {@code FICLONE}. Root can capture
 * directory trees too, and with btrfs-progs installed, send and receive them.
 */
public final class BtrfsProvider implements StorageBackendProvider, RootExamination {
  private static final String ID = "btrfs";
  private static final int FORMAT = 1;
  private static final BlockSharing CLONE = new CloneFile();
  private static final String REMEDY =
      "put the data root on Btrfs (mkfs.btrfs), or use another storage backend";

  /** Called by {@link java.util.ServiceLoader}. */
  public BtrfsProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public StorageFacts atBest() {
    return factsFor(Set.of(StorageFeature.DIRECTORY_SNAPSHOTS, StorageFeature.INCREMENTAL_STREAMS));
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    Path root = where.root();
    try {
      if (FsInfo.of(root).type() != FsInfo.BTRFS) {
        return new ProbeResult.Unusable("not Btrfs", HostErrors.describe(root), REMEDY);
      }
      Map<String, String> evidence = new LinkedHashMap<>(CopyProbe.run(root, CLONE));
      Set<StorageFeature> more = EnumSet.noneOf(StorageFeature.class);
      if (mayRemoveSubvolumes()) {
        SubvolumeProbe.run(root, evidence, Steps.NONE);
        more.add(StorageFeature.DIRECTORY_SNAPSHOTS);
        if (BtrfsProgram.find() != null) {
          more.add(StorageFeature.INCREMENTAL_STREAMS);
        }
      }
      return new ProbeResult.Usable(factsFor(more), evidence);
    } catch (LinuxException e) {
      ProbeResult.Unusable unusable = CopyProbe.explain(e, root);
      return unusable != null ? unusable : new ProbeResult.Failed(e);
    } catch (RuntimeException e) {
      return new ProbeResult.Failed(e);
    }
  }

  /** Returns the facts. Btrfs writes every block to a new place, unless its file has {@code +C}. */
  private static StorageFacts factsFor(Set<StorageFeature> more) {
    Set<StorageFeature> all = EnumSet.copyOf(SharingBackend.FEATURES);
    all.addAll(more);
    return new StorageFacts(CopyCost.PER_EXTENT, false, true, all);
  }

  /**
   * btrfs-subvolume(8): other users cannot remove the subvolumes they create, so they must not
   * create any.
   */
  private static boolean mayRemoveSubvolumes() {
    return Host.effectiveUid() == 0;
  }

  @Override
  public StorageBackend open(ProbeContext where) {
    return open(where.root(), Steps.NONE);
  }

  @Override
  public StorageBackend examine(ProbeContext where) {
    refuseOtherFileSystems(where.root());
    Path root = where.root();
    if (!mayRemoveSubvolumes()) {
      return ReadOnlyRoot.openFiles(root, ID, FORMAT, BtrfsBackend.OWN_NAMES);
    }
    return ReadOnlyRoot.openFiles(
        root, ID, FORMAT, (layout, lock) -> new ExaminedTrees(root, layout, lock));
  }

  /** Opens a root step by step. */
  static StorageBackend open(Path root, Steps steps) {
    refuseOtherFileSystems(root);
    if (!mayRemoveSubvolumes()) {
      return SharingBackend.open(root, ID, FORMAT, CLONE, steps);
    }
    return SharingBackend.open(
        root,
        ID,
        FORMAT,
        CLONE,
        steps,
        opened -> {
          BtrfsTrees trees = BtrfsTrees.open(root, steps);
          Path program = BtrfsProgram.find();
          return program == null
              ? new BtrfsBackend(opened, trees)
              : new BtrfsStreamingBackend(opened, trees, new BtrfsProgram(program));
        });
  }

  /** A file system that is not mounted leaves a directory of the one around it. */
  private static void refuseOtherFileSystems(Path root) {
    try {
      if (FsInfo.of(root).type() != FsInfo.BTRFS) {
        throw new RametException(
            ErrorCode.HOST_UNFIT,
            "btrfs needs a Btrfs file system, and this is not one: " + HostErrors.describe(root),
            "mount the right file system; " + REMEDY,
            null);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "open the storage root " + root, root);
    }
  }
}
