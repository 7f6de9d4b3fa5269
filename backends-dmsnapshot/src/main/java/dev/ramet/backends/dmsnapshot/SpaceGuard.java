// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.dmsnapshot.layer.CowStore;
import dev.ramet.backends.dmsnapshot.layer.Layer;
import dev.ramet.backends.dmsnapshot.layer.LayerStore;
import dev.ramet.backends.dmsnapshot.layer.LiveDevices;
import dev.ramet.backends.dmsnapshot.layer.ThreadStopper;
import dev.ramet.backends.dmsnapshot.record.NodeRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceNumber;
import dev.ramet.linux.block.DmTarget;
import dev.ramet.linux.block.LoopDevice;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.PathCalls;
import java.util.List;

/**
 * Ensures that on a full file system a volume fails only the writes that do not fit.
 *
 * <p>A store is a sparse file with room for every chunk of the volume, so it cannot overflow by
 * itself. But if a write to it finds no free block in the file system, the kernel invalidates the
 * whole store. When less than the reserve is free, every store in use is therefore truncated to its
 * used part plus an allocated share of the reserve. Writes beyond that fail one by one for lack of
 * space, and nothing else does. When there is space again, stores get their length back.
 *
 * <p>Thread-safe.
 */
final class SpaceGuard implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SpaceGuard.class.getName());
  private static final long INTERVAL_MILLIS = 200;

  /**
   * Poll interval while less than {@link #NEAR} reserves are free; short enough for a fast writer.
   */
  private static final long NEAR_INTERVAL_MILLIS = 20;

  private static final int NEAR = 4;
  private static final long MAX_SHARE_BYTES = 16 << 20;

  private final LayerStore store;
  private final LiveDevices live;
  private final long reserveBytes;
  private final Thread thread;

  /** Starts to monitor free space. */
  SpaceGuard(LayerStore store, LiveDevices live, long reserveBytes) {
    this.store = store;
    this.live = live;
    this.reserveBytes = reserveBytes;
    this.thread = new Thread(this::work, "ramet-dm-space");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the default reserve of a file system in bytes: a sixteenth of it, at most 64 MiB. */
  static long defaultReserve(FsInfo info) {
    return Math.min(64 << 20, info.totalBytes() / 16);
  }

  /**
   * Throws {@code NO_SPACE} when only the reserve is left, before anything that could grow is
   * created.
   */
  void checkRoom(String doing) throws LinuxException {
    FsInfo info = FsInfo.of(store.files().directory());
    if (info.freeBytes() < reserveBytes) {
      throw new RametException(
          ErrorCode.NO_SPACE,
          "cannot %s: no space left on %s except for the reserve of %d MiB"
              .formatted(doing, HostErrors.describe(store.files().directory()), reserveBytes >> 20),
          "delete snapshots or sandboxes, or enlarge the file system",
          null);
    }
  }

  private void work() {
    try {
      while (true) {
        Thread.sleep(checkVolumes() < NEAR * reserveBytes ? NEAR_INTERVAL_MILLIS : INTERVAL_MILLIS);
      }
    } catch (InterruptedException e) {
      // The guard was closed.
    }
  }

  /** Checks all volumes in use; returns the number of free bytes. */
  private long checkVolumes() {
    long free = Long.MAX_VALUE;
    try {
      free = FsInfo.of(store.files().directory()).freeBytes();
      synchronized (store) {
        List<NodeRecord> volumes = live.activeVolumes();
        long share = Math.min(MAX_SHARE_BYTES, reserveBytes / (4L * Math.max(1, volumes.size())));
        for (NodeRecord volume : volumes) {
          checkVolume(volume, free, share);
        }
      }
    } catch (LinuxException | RuntimeException e) {
      LOG.log(WARNING, "cannot check the stores", e);
    }
    return free;
  }

  private void checkVolume(NodeRecord volume, long free, long share) throws LinuxException {
    Layer top = store.find(volume.layer());
    if (top == null || top.isFlat()) {
      return;
    }
    String name = store.devices().volumeName(volume.device());
    long capacity = CowStore.capacityBytes(store.sizeBytes(top));
    long now = PathCalls.stat(store.files().path(top)).sizeBytes();
    if (free < reserveBytes && now >= capacity) {
      // Open for writing only when needed: a file system with a file open for writing cannot be
      // remounted read-only.
      try (Fd file = store.files().open(top, true)) {
        limitStore(name, file, capacity, share);
      }
    } else if (free >= 2 * reserveBytes && now < capacity) {
      try (Fd file = store.files().open(top, true)) {
        file.truncate(capacity);
      }
      refresh(name);
      LOG.log(INFO, "{0} may grow again", name);
    }
    if (free >= 2 * reserveBytes && !snapshotStatus(name).parameters().contains("/")) {
      // A word in place of the figures: the store was full, or the kernel invalidated it. No
      // acknowledged write is lost, but the table accepts no more writes.
      live.restore(volume.device(), volume.layer());
      LOG.log(INFO, "{0} can be written again", name);
    }
  }

  private void limitStore(String name, Fd file, long capacity, long share) throws LinuxException {
    store.devices().mapper().suspend(name);
    try {
      // "used/total metadata" in sectors; a word instead when the kernel has invalidated the store.
      String[] words = snapshotStatus(name).parameterWords();
      int slash = words[0].indexOf('/');
      if (slash < 0) {
        return;
      }
      long used = Long.parseLong(words[0].substring(0, slash)) * DmTarget.SECTOR_BYTES;
      // Everything up to the used length is allocated, except for delayed allocations, and the
      // table that the kernel will clear next lies at most one area behind it.
      long length = Math.min(capacity, used + share / CowStore.CHUNK_BYTES * CowStore.CHUNK_BYTES);
      while (length > used && !tryAllocate(file, length)) {
        length -= (length - used + 1) / 2 / CowStore.CHUNK_BYTES * CowStore.CHUNK_BYTES;
        if (length - used <= CowStore.CHUNK_BYTES) {
          length = used;
        }
      }
      length = CowStore.safeLength(length);
      file.truncate(length);
      refresh(name);
      LOG.log(
          WARNING,
          "{0} may only grow by {1} more bytes: almost no space left on {2}",
          name,
          Long.toString(length - used),
          HostErrors.describe(store.files().directory()));
    } finally {
      store.devices().mapper().resume(name);
    }
  }

  private static boolean tryAllocate(Fd file, long length) throws LinuxException {
    try {
      file.allocate(0, length);
      return true;
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOSPC || e.errno() == LinuxException.EDQUOT) {
        return false;
      }
      throw e;
    }
  }

  private DmTarget snapshotStatus(String name) throws LinuxException {
    return store.devices().mapper().status(name).get(0);
  }

  /** Makes the loop device below a volume notice the new length of its file. */
  private void refresh(String name) throws LinuxException {
    String[] words = store.devices().mapper().table(name).get(0).parameterWords();
    try (LoopDevice loop = LoopDevice.open(DeviceNumber.parse(words[1]), true)) {
      loop.refreshSize();
    }
  }

  @Override
  public void close() {
    ThreadStopper.interruptAndJoin(thread);
  }
}
