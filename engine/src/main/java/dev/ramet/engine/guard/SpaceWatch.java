// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.space.StorageReserve;
import dev.ramet.engine.space.WatchedFileSystem;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.linux.process.MemInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Decides when machines are stopped for lack of space, and when they go on.
 *
 * <p>A write can be lost where the kernel accepts it before there is room for it: below a loop
 * device or a device-mapper store, data is written from the page cache, and an error there reaches
 * nobody. So data that is cached but not yet written counts as used. That number is known only for
 * the whole host. When it alone makes the difference, the machines are stopped for the moment in
 * which their data is written, and then the exact number is known. Used by one thread.
 */
final class SpaceWatch {
  private static final System.Logger LOG = System.getLogger(SpaceWatch.class.getName());

  /** The longest rest from one look to the next. */
  static final Duration FAR = Duration.ofSeconds(1);

  /** Short enough for a guest that writes as fast as the page cache takes it. */
  private static final Duration NEAR = Duration.ofMillis(20);

  /** More than guests can write in a second. */
  private static final double FASTEST_BYTES = 4L << 30;

  /** Least time from one stop of all machines for a moment to the next. */
  private static final Duration BETWEEN_MOMENTS = Duration.ofSeconds(1);

  /** Less than this is no room: file systems refuse even small files then. */
  private static final long ROOM_BYTES = 4 << 20;

  private final Path root;
  private final FreeSpace disks;
  private final FreeSpace all;
  private final boolean devices;
  private final StoppedMachines machines;
  private final StartGate gate;
  private final LongSupplier clock;
  private boolean warned;
  private boolean stopping;

  /** When all machines were last stopped for a moment. */
  private long momentNanos;

  /** Whether the cached data could not be written when that was last tried. */
  private boolean unwritable;

  /** Unwritten data of the host right after the machines' own was written. */
  private long othersBytes;

  /**
   * Creates the watch.
   *
   * @param root the directory of the disks
   * @param disks the file systems that take their data
   * @param all the file systems of all roots
   * @param devices whether disks are block devices
   * @param gate closed while machines are stopped
   * @param clock the time in nanoseconds, like {@link System#nanoTime}
   */
  SpaceWatch(
      Path root,
      FreeSpace disks,
      FreeSpace all,
      boolean devices,
      StoppedMachines machines,
      StartGate gate,
      LongSupplier clock) {
    this.root = root;
    this.disks = disks;
    this.all = all;
    this.devices = devices;
    this.machines = machines;
    this.gate = gate;
    this.clock = clock;
    this.momentNanos = clock.getAsLong() - BETWEEN_MOMENTS.toNanos();
  }

  /** Looks once; returns how long it may rest. */
  Duration look() {
    machines.refresh();
    warn(all.read());
    List<FreeSpace.Room> rooms = disks.read();
    boolean unstoppable = machines.anyUnstoppable();
    List<FreeSpace.Room> guarded =
        rooms.stream()
            .filter(room -> room.reserveBytes() > 0 && (room.place().late() || unstoppable))
            .toList();
    boolean complete = disks.unread(rooms).stream().noneMatch(place -> place.late() || unstoppable);
    long unwritten = guarded.isEmpty() ? 0 : unwrittenBytes();
    guard(guarded, unwritten, complete);
    boolean room = !stopping && rooms.stream().allMatch(one -> one.freeBytes() >= ROOM_BYTES);
    machines.follow(room);
    return guarded.stream()
        .map(one -> rest(one.less(unwritten)))
        .min(Comparator.naturalOrder())
        .orElse(FAR);
  }

  /** Returns the time in which guests cannot use up what is left above half of the reserve. */
  private static Duration rest(FreeSpace.Room room) {
    long left = room.freeBytes() - room.reserveBytes() / 2;
    long millis = (long) (Math.max(0, left) / FASTEST_BYTES * FAR.toMillis());
    return Duration.ofMillis(Math.max(NEAR.toMillis(), Math.min(FAR.toMillis(), millis)));
  }

  private void warn(List<FreeSpace.Room> rooms) {
    Optional<FreeSpace.Room> low = rooms.stream().filter(FreeSpace.Room::low).findFirst();
    if (low.isPresent() && !warned) {
      LOG.log(
          WARNING,
          "little space is left on {0}: below {1} MiB, snapshots and new sandboxes are refused;"
              + " delete snapshots or sandboxes, or enlarge the file system ({2})",
          low.get().describe(),
          low.get().reserveBytes() >> 20,
          StorageReserve.RESERVE.key());
    } else if (low.isEmpty() && warned) {
      LOG.log(INFO, "there is enough space again");
    }
    warned = low.isPresent();
  }

  /**
   * Stops machines, or lets them go on, as the free space requires.
   *
   * @param complete whether the free space of all file systems could be read
   */
  private void guard(List<FreeSpace.Room> rooms, long unwritten, boolean complete) {
    if (rooms.stream().anyMatch(FreeSpace.Room::exhausted)) {
      stopping = true;
    } else if (!stopping) {
      rooms.stream()
          .filter(room -> room.place().late() && room.less(unwritten).exhausted())
          .filter(room -> mayStopForMoment(room.less(unwritten)))
          .findFirst()
          .ifPresent(this::stopForMoment);
      return;
    }
    List<FreeSpace.Room> full = rooms.stream().filter(room -> !room.recovered()).toList();
    if (stopping && full.isEmpty() && complete && writtenAtLast()) {
      stopping = false;
      gate.open();
      machines.release();
    } else if (stopping && !full.isEmpty()) {
      // At each turn, because a machine that has begun to run since would use up the rest.
      hold(full.get(0), full.stream().anyMatch(room -> room.place().late()));
    }
  }

  /** Stops machines until there is room, and refuses those that start. */
  private void hold(FreeSpace.Room room, boolean late) {
    String full = "little space is left on " + room.describe();
    gate.close(full, late);
    // One that is being started may have passed the gate right before.
    machines.refresh();
    machines.stop(late);
    machines.extend(full, late);
  }

  /** Returns whether the last stop for a moment is long ago, or what is left may not last. */
  private boolean mayStopForMoment(FreeSpace.Room left) {
    return momentIsOver() || left.freeBytes() < left.reserveBytes() / 4;
  }

  private boolean momentIsOver() {
    return clock.getAsLong() - momentNanos >= BETWEEN_MOMENTS.toNanos();
  }

  /** Writes cached data that could not be written before; returns whether none is left. */
  private boolean writtenAtLast() {
    if (!unwritable) {
      return true;
    }
    if (!momentIsOver()) {
      return false;
    }
    momentNanos = clock.getAsLong();
    write();
    return !unwritable;
  }

  /** Stops all machines until their data is written and the exact number of free bytes is known. */
  private void stopForMoment(FreeSpace.Room room) {
    momentNanos = clock.getAsLong();
    boolean full = false;
    gate.closeForMoment();
    try {
      machines.refresh();
      machines.stop(true);
      write();
      full = unwritable || isFull();
    } finally {
      if (!full) {
        gate.open();
        machines.release();
      }
    }
    if (full) {
      stopping = true;
      hold(room, true);
    }
  }

  /** Returns whether a write that the kernel has accepted may find no room. */
  private boolean isFull() {
    List<FreeSpace.Room> now = disks.read();
    return now.stream().anyMatch(room -> room.place().late() && room.exhausted())
        || disks.unread(now).stream().anyMatch(WatchedFileSystem::late);
  }

  /** Returns how much cached data of the machines may still have to be written. */
  private long unwrittenBytes() {
    try {
      MemInfo memory = MemInfo.read();
      long now = cachedBytes(memory);
      othersBytes = Math.min(othersBytes, now);
      return now - othersBytes;
    } catch (IOException e) {
      return 0;
    }
  }

  private long cachedBytes(MemInfo memory) {
    return devices
        ? Math.min(memory.unwrittenBytes(), memory.deviceCacheBytes())
        : memory.unwrittenBytes();
  }

  /** Writes the cached data of all disks while the machines stand still. */
  private void write() {
    unwritable = true;
    try {
      PathCalls.syncFileSystem(root);
      machines.writeDevices();
      othersBytes = cachedBytes(MemInfo.read());
      unwritable = false;
    } catch (LinuxException | IOException e) {
      LOG.log(WARNING, "cannot write the cached data of {0}: {1}", root, e.getMessage());
    }
  }
}
