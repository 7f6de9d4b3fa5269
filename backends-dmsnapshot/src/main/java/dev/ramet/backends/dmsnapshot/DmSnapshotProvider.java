// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.copy.SparseCopy;
import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.dmsnapshot.layer.Devices;
import dev.ramet.backends.dmsnapshot.layer.LayerFiles;
import dev.ramet.backends.dmsnapshot.layer.LayerStore;
import dev.ramet.backends.dmsnapshot.layer.LiveDevices;
import dev.ramet.backends.dmsnapshot.record.Records;
import dev.ramet.backends.dmsnapshot.record.RootIdentity;
import dev.ramet.backends.node.Images;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.backends.root.RootLocks;
import dev.ramet.backends.root.RootScan;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceMapper;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.root.RootExamination;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * Provides {@code dm-snapshot}, the backend for file systems that cannot share blocks: volumes are
 * block devices, and snapshots share data through device-mapper's snapshot target.
 */
public final class DmSnapshotProvider implements StorageBackendProvider, RootExamination {
  private static final String ID = "dm-snapshot";
  private static final int FORMAT = 1;
  private static final long DEFAULT_MERGE_BYTES_PER_SECOND = 64 << 20;

  private static final Setting<Long> MERGE_BYTES_PER_SECOND =
      Setting.size(
              "merge-bytes-per-second",
              "bytes a second",
              "How fast layers are merged in the background.")
          .orElse(Long.toString(DEFAULT_MERGE_BYTES_PER_SECOND))
          .like(Long.toString(DEFAULT_MERGE_BYTES_PER_SECOND));

  private static final Setting<Long> RESERVE_BYTES =
      Setting.size("reserve-bytes", "bytes", "Bytes to keep free on the file system.")
          .orElse("a sixteenth of it, at most 67108864")
          .like("67108864");

  /** Called by {@link java.util.ServiceLoader}. */
  public DmSnapshotProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public StorageFacts atBest() {
    return DmSnapshotBackend.FACTS;
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(MERGE_BYTES_PER_SECOND, RESERVE_BYTES);
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return DmProbe.run(where.root());
  }

  @Override
  public StorageBackend open(ProbeContext where) {
    long merge =
        where.settings().find(MERGE_BYTES_PER_SECOND).orElse(DEFAULT_MERGE_BYTES_PER_SECOND);
    long reserve = where.settings().find(RESERVE_BYTES).orElse(0L);
    DmProbe.removeLeftovers(where.root());
    return open(where.root(), merge, reserve, Steps.NONE);
  }

  /**
   * Opens a root for examination only. It neither creates nor queries devices, but needs the right
   * to do so: only a process with that right can have created the files.
   */
  @Override
  public StorageBackend examine(ProbeContext where) {
    Path root = where.root();
    Layout layout = Layout.of(root);
    LayerFiles files = new LayerFiles(layout.volumes().resolveSibling("layers"), Steps.NONE);
    Devices devices = new Devices(deviceMapper(), "", files);
    Fd lock = null;
    boolean done = false;
    try {
      lock = RootLocks.lockForInspection(root, layout, ID, FORMAT);
      ReadOnlyLayers opened = new ReadOnlyLayers(layout, lock, new LayerStore(files, devices));
      done = true;
      return opened;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "look at the storage root " + root, root);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot look at the storage root " + root + ": " + e, e);
    } finally {
      // Devices say nothing about the state on disk.
      devices.close();
      if (!done && lock != null) {
        lock.close();
      }
    }
  }

  /**
   * Opens a root.
   *
   * @param reserveBytes 0 for the file system's default
   */
  static DmSnapshotBackend open(
      Path root, long mergeBytesPerSecond, long reserveBytes, Steps steps) {
    Layout layout = Layout.of(root);
    Fd lock = null;
    Devices devices = null;
    boolean done = false;
    try {
      // First, before creating anything: on a host without device-mapper the root stays unchanged.
      DeviceMapper mapper = deviceMapper();
      Path layers = layout.volumes().resolveSibling("layers");
      LayerFiles files = new LayerFiles(layers, steps);
      devices = new Devices(mapper, "", files);
      Disk disk = new Disk(steps);
      lock = RootLocks.lock(root, layout, ID, FORMAT, disk);
      makeDirectory(layers);
      devices = new Devices(mapper, RootIdentity.prefix(layers), files);
      NodeIndex index = new NodeIndex();
      new RootScan(layout, disk, index).run();
      LayerStore store = new LayerStore(files, devices);
      NodeFiles nodeFiles = new NodeFiles(layout, disk);
      LiveDevices live = new LiveDevices(store);
      var records = new Reconciler(layout, index, nodeFiles, store, live).run();
      long reserve = reserveBytes > 0 ? reserveBytes : SpaceGuard.defaultReserve(FsInfo.of(layers));
      DmSnapshotBackend backend =
          new DmSnapshotBackend(
              new OpenedRoot(
                  layout,
                  index,
                  nodeFiles,
                  new Images(new SparseCopy(), disk),
                  store,
                  live,
                  new Records(records),
                  lock),
              new DmSnapshotBackend.Tuning(mergeBytesPerSecond, reserve));
      done = true;
      return backend;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "open the storage root " + root, root);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot open the storage root " + root + ": " + e, e);
    } finally {
      if (!done) {
        if (devices != null) {
          devices.close();
        }
        if (lock != null) {
          lock.close();
        }
      }
    }
  }

  private static DeviceMapper deviceMapper() {
    try {
      return DeviceMapper.open();
    } catch (LinuxException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "device-mapper cannot be used on this host: " + e.getMessage(),
          e.errno() == LinuxException.EACCES || e.errno() == LinuxException.EPERM
              ? "run as root"
              : DmProbe.REMEDY,
          e);
    }
  }

  private static void makeDirectory(Path path) throws IOException {
    // Only for the owner: the images hold the guests' data.
    Files.createDirectories(
        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }
}
