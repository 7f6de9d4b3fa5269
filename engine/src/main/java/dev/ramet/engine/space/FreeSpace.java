// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.space;

import dev.ramet.engine.metrics.Registry;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.PathCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;

/**
 * Refuses work that adds data when only the reserve is left, so that the sandboxes that already run
 * keep it. Thread-safe.
 */
public final class FreeSpace {
  /** Tells people how to make room. */
  public static final String REMEDY =
      "delete snapshots or sandboxes that you no longer need, enlarge the file system, or set a"
          + " smaller "
          + StorageReserve.RESERVE.key();

  private static final System.Logger LOG = System.getLogger(FreeSpace.class.getName());

  /** How often, and at what distance, the space of files deleted just before is looked for. */
  private static final int LOOKS = 20;

  private static final long BETWEEN_LOOKS_NANOS = 50_000_000;

  private final List<WatchedFileSystem> places;
  private final StorageReserve reserve;

  /**
   * Creates the check.
   *
   * @param places the file systems of all roots
   */
  public FreeSpace(List<WatchedFileSystem> places, StorageReserve reserve) {
    this.places = List.copyOf(places);
    this.reserve = reserve;
  }

  /**
   * The room on a file system.
   *
   * @param place the file system
   * @param freeBytes its free bytes
   * @param reserveBytes its reserve
   */
  public record Room(WatchedFileSystem place, long freeBytes, long reserveBytes) {
    /** Returns whether less than twice the reserve is free: a warning is due. */
    public boolean low() {
      return freeBytes < 2 * reserveBytes;
    }

    /** Returns whether only the reserve is left. */
    public boolean reserved() {
      return freeBytes < reserveBytes;
    }

    /** Returns whether half of the reserve is used up as well. */
    public boolean exhausted() {
      return freeBytes < reserveBytes / 2;
    }

    /** Returns whether guests that were stopped because it was exhausted may go on. */
    public boolean recovered() {
      return freeBytes >= reserveBytes / 4 * 3;
    }

    /** Returns this room without bytes that are promised already. */
    public Room less(long bytes) {
      return new Room(place, freeBytes - bytes, reserveBytes);
    }

    /** Describes the file system for people. */
    public String describe() {
      Path path = place.path();
      Path parent = path.getParent();
      return FsInfo.describe(Files.isRegularFile(path) && parent != null ? parent : path);
    }
  }

  /** Returns the room on each file system that can be read now. */
  public List<Room> read() {
    return places.stream().flatMap(place -> read(place).stream()).toList();
  }

  /** Returns the file systems that a reading lacks because they could not be read. */
  public List<WatchedFileSystem> unread(List<Room> reading) {
    return places.stream()
        .filter(place -> reading.stream().noneMatch(room -> room.place().equals(place)))
        .toList();
  }

  private List<Room> read(WatchedFileSystem place) {
    try {
      FsInfo info = FsInfo.of(place.path());
      return List.of(
          new Room(place, info.freeBytes(), reserve.bytes(info.totalBytes(), place.devices())));
    } catch (LinuxException e) {
      LOG.log(System.Logger.Level.DEBUG, "cannot read the free space of {0}", place.path());
      return List.of();
    }
  }

  /**
   * Throws {@code NO_SPACE} if only the reserve is left. Before that it waits, for a second at
   * most, for the space of files that were deleted just before.
   *
   * @param doing the refused work, as the rest of a sentence that begins with "cannot"
   */
  public void require(String doing) {
    if (reserved().isEmpty()) {
      return;
    }
    awaitFreed();
    reserved()
        .ifPresent(
            room -> {
              throw refusal(doing, room, room.reserveBytes());
            });
  }

  private Optional<Room> reserved() {
    return read().stream().filter(Room::reserved).findFirst();
  }

  /**
   * Waits for space that is about to become free. XFS gives back the blocks of deleted files in the
   * background (since Linux 5.14), Btrfs when its transaction is committed.
   */
  private void awaitFreed() {
    read().stream().filter(Room::reserved).forEach(room -> writeBack(room.place().path()));
    for (int look = 0; look < LOOKS && reserved().isPresent(); look++) {
      LockSupport.parkNanos(this, BETWEEN_LOOKS_NANOS);
    }
  }

  private static void writeBack(Path path) {
    try {
      PathCalls.syncFileSystem(path);
    } catch (LinuxException e) {
      LOG.log(System.Logger.Level.DEBUG, "cannot write back {0}: {1}", path, e);
    }
  }

  /** Throws {@code NO_SPACE} already when the reserve is near, for work that nobody waits for. */
  public void requirePlenty(String doing) {
    read().stream()
        .filter(Room::low)
        .findFirst()
        .ifPresent(
            room -> {
              throw refusal(doing, room, 2 * room.reserveBytes());
            });
  }

  /** Returns whether there is room for work that nobody waits for. */
  public boolean plenty() {
    return read().stream().noneMatch(Room::low);
  }

  private static RametException refusal(String doing, Room room, long neededBytes) {
    return new RametException(
        ErrorCode.NO_SPACE,
        "cannot "
            + doing
            + ": little space is left on "
            + room.describe()
            + ", and "
            + (neededBytes >> 20)
            + " MiB must stay free for the sandboxes that run",
        REMEDY,
        null);
  }

  /** Registers gauges of the free space and of the reserve. */
  public void register(Registry metrics) {
    metrics.gauge(
        "ramet_storage_free_bytes",
        "Free space of each file system that takes data of the data root.",
        "path",
        () -> byPath(Room::freeBytes));
    metrics.gauge(
        "ramet_storage_reserve_bytes",
        "Space that is kept free there for the sandboxes that run.",
        "path",
        () -> byPath(Room::reserveBytes));
  }

  private Map<String, Long> byPath(ToLongFunction<Room> value) {
    Map<String, Long> values = new TreeMap<>();
    read().forEach(room -> values.put(room.place().path().toString(), value.applyAsLong(room)));
    return values;
  }
}
