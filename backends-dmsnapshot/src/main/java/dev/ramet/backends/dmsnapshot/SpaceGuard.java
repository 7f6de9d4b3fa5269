// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.HostErrors;
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
 * Ensures that a full file system costs a volume no more than the writes that do not fit.
 *
 * <p>A store is a sparse file that has room for every chunk of the volume, so it cannot overflow by
 * itself. But if the file system has no block for a write to it, the kernel invalidates the whole
 * store. So if less than a reserve is free, every store in use is truncated to its present content
 * plus a share of the reserve, which is allocated for it: writes beyond that fail one by one for
 * lack of space, and nothing else fails. When space is free again, stores get their full length
 * back.
 *
 * <p>Thread-safe.
 */
final class SpaceGuard implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SpaceGuard.class.getName());
  private static final long INTERVAL_MILLIS = 200;

  /** While less than {@link #NEAR} reserves are free: a fast writer needs no more than that. */
  private static final long NEAR_INTERVAL_MILLIS = 20;

  private static final int NEAR = 4;
  private static final long MAX_SHARE_BYTES = 16 << 20;

  private final LayerStore store;
  private final LiveDevices live;
  private final long reserveBytes;
  private final Thread thread;

  /** Starts to watch. */
  SpaceGuard(LayerStore store, LiveDevices live, long reserveBytes) {
    this.store = store;
    this.live = live;
    this.reserveBytes = reserveBytes;
    this.thread = new Thread(this::work, "ramet-dm-space");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the reserve of a file system unless one is set: a sixteenth, at most 64 MiB. */
  static long defaultReserve(FsInfo info) {
    return Math.min(64 << 20, info.totalBytes() / 16);
  }

  /** Refuses to create anything that could grow if only the reserve is left. */
  void checkRoom(String doing) throws LinuxException {
    FsInfo info = FsInfo.of(store.files().directory());
    if (info.freeBytes() < reserveBytes) {
      throw new RametException(
          ErrorCode.NO_SPACE,
          "cannot %s: no space left on %s but the reserve of %d MiB"
              .formatted(doing, HostErrors.describe(store.files().directory()), reserveBytes >> 20),
          "delete snapshots or sandboxes, or enlarge the file system",
          null);
    }
  }

  private void work() {
    try {
      while (true) {
        Thread.sleep(look() < NEAR * reserveBytes ? NEAR_INTERVAL_MILLIS : INTERVAL_MILLIS);
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  /** Looks after all volumes in use; returns how many bytes are free. */
  private long look() {
    long free = Long.MAX_VALUE;
    try {
      free = FsInfo.of(store.files().directory()).freeBytes();
      synchronized (store) {
        List<NodeRecord> volumes = live.activeVolumes();
        long share = Math.min(MAX_SHARE_BYTES, reserveBytes / (4L * Math.max(1, volumes.size())));
        for (NodeRecord volume : volumes) {
          look(volume, free, share);
        }
      }
    } catch (LinuxException | RuntimeException e) {
      LOG.log(WARNING, "stores could not be looked after", e);
    }
    return free;
  }

  private void look(NodeRecord volume, long free, long share) throws LinuxException {
    Layer top = store.find(volume.layer());
    if (top == null || top.isFlat()) {
      return;
    }
    String name = store.devices().volumeName(volume.device());
    long capacity = CowStore.capacityBytes(store.sizeBytes(top));
    long now = PathCalls.stat(store.files().path(top)).sizeBytes();
    if (free < reserveBytes && now >= capacity) {
      // Opened for writing only if there is something to write: a file system with a file open for
      // writing cannot be made read-only.
      try (Fd file = store.files().open(top, true)) {
        cut(name, file, capacity, share);
      }
    } else if (free >= 2 * reserveBytes && now < capacity) {
      try (Fd file = store.files().open(top, true)) {
        file.truncate(capacity);
      }
      refresh(name);
      LOG.log(INFO, "{0} may grow again", name);
    }
    if (free >= 2 * reserveBytes && !state(name).parameters().contains("/")) {
      // A word instead of numbers: the store was full, or the kernel invalidated it. No
      // acknowledged write is lost, but the table accepts no more writes.
      live.restore(volume.device(), volume.layer());
      LOG.log(INFO, "{0} can be written again", name);
    }
  }

  private void cut(String name, Fd file, long capacity, long share) throws LinuxException {
    store.devices().mapper().suspend(name);
    try {
      // "used/total metadata" in sectors; a word instead when the kernel has given it up.
      String[] words = state(name).words();
      int slash = words[0].indexOf('/');
      if (slash < 0) {
        return;
      }
      long used = Long.parseLong(words[0].substring(0, slash)) * DmTarget.SECTOR_BYTES;
      // Everything up to the used length is present, except for data the file system has not
      // written out yet, and the table chunk that the kernel will clear next is at most one area
      // further on.
      long length = Math.min(capacity, used + share / CowStore.CHUNK_BYTES * CowStore.CHUNK_BYTES);
      while (length > used && !allocated(file, length)) {
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
          "{0} may grow by {1} more bytes: no space left on {2}",
          name,
          Long.toString(length - used),
          HostErrors.describe(store.files().directory()));
    } finally {
      store.devices().mapper().resume(name);
    }
  }

  private static boolean allocated(Fd file, long length) throws LinuxException {
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

  private DmTarget state(String name) throws LinuxException {
    return store.devices().mapper().status(name).get(0);
  }

  /** Tells the loop device below a volume how long its file is now. */
  private void refresh(String name) throws LinuxException {
    String[] words = store.devices().mapper().table(name).get(0).words();
    try (LoopDevice loop = LoopDevice.open(DeviceNumber.parse(words[1]), true)) {
      loop.refreshSize();
    }
  }

  @Override
  public void close() {
    Threads.end(thread);
  }
}
