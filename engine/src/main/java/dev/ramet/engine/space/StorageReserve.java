// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.space;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import org.jspecify.annotations.Nullable;

/**
 * The room that is kept free on each file system for the sandboxes that already run. Immutable.
 *
 * <p>Below twice the reserve the host warns and leaves out its own automatic work; below the
 * reserve it refuses what would add data; below half of it, it stops guests whose writes could
 * otherwise be lost. They go on at three quarters.
 *
 * @param setBytes the operator's choice, or null for the default
 */
public record StorageReserve(@Nullable Long setBytes) {
  /** How much is kept free. */
  public static final Setting<Long> RESERVE =
      Setting.size(
              "ramet.storage-reserve",
              "bytes",
              "Room that is kept free on each file system of the data root for the sandboxes that"
                  + " already run. Below twice of it, the host warns; below it, snapshots and new"
                  + " sandboxes are refused; below half of it, guests whose writes could be lost"
                  + " are stopped until there is room again. Less than 1 MiB turns all of this"
                  + " off.")
          .orElse("a sixteenth of the file system, at most 1 GiB")
          .like("2147483648");

  private static final long MOST = 1L << 30;
  private static final long LEAST = 1L << 20;
  private static final int SHARE = 16;
  private static final long DEVICES_LEAST = 192L << 20;
  private static final int DEVICES_SHARE = 6;

  /** Returns the operator's choice. */
  public static StorageReserve from(Settings settings) {
    return new StorageReserve(settings.find(RESERVE).orElse(null));
  }

  /**
   * Returns the reserve of a file system in bytes.
   *
   * @param devices whether disks are block devices whose data is in files there. Their backend cuts
   *     them off when little is left, and guests must be stopped before
   */
  long bytes(long totalBytes, boolean devices) {
    Long set = setBytes;
    if (set != null && set < LEAST) {
      return 0;
    }
    long wanted = set == null ? Math.min(MOST, totalBytes / SHARE) : set;
    return devices ? Math.max(wanted, Math.min(DEVICES_LEAST, totalBytes / DEVICES_SHARE)) : wanted;
  }
}
