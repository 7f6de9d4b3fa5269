// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.file.FsInfo;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Decides the size of a pool. The image is sparse: it takes the space of what is written, not its
 * size, and shares the file system around it with other users. So others can break the promise of
 * its size: if that file system is full, writes inside the pool fail with EIO rather than ENOSPC. A
 * new pool therefore never gets more than is free, less a margin.
 */
final class PoolSize {
  private static final long MIB = 1 << 20;
  private static final long DEFAULT_MAX = 64L << 30;
  private static final long MARGIN_MIN = 256 * MIB;

  /** mkfs.xfs refuses less since xfsprogs 5.19. */
  static final long MIN = 300 * MIB;

  private PoolSize() {}

  /**
   * Returns the size of a new pool.
   *
   * @param asked the operator's wish, or null
   * @throws RametException {@code INVALID_ARGUMENT} or {@code NO_SPACE} if that is not possible
   */
  static long chooseBytes(Path dataRoot, FsInfo around, @Nullable Long asked) {
    if (asked != null && asked < MIN) {
      throw RametException.invalid("size", "a pool has at least " + MIN / MIB + " MiB");
    }
    long possible = around.freeBytes() - Math.max(MARGIN_MIN, around.freeBytes() / 10);
    long wanted = asked != null ? asked : Math.min(DEFAULT_MAX, around.freeBytes() / 10 * 8);
    if (asked == null) {
      wanted = Math.max(MIN, Math.min(wanted, possible));
    }
    if (wanted > possible) {
      throw new RametException(
          ErrorCode.NO_SPACE,
          "a pool of %d MiB does not fit on the file system of %s, where %d MiB are free"
              .formatted(wanted / MIB, dataRoot, around.freeBytes() / MIB),
          "free space there, make a smaller pool, or use another data root; a margin of a"
              + " tenth, at least "
              + MARGIN_MIN / MIB
              + " MiB, stays free",
          null);
    }
    return wanted / MIB * MIB;
  }
}
