// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.node;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Extent;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.Fiemap;
import dev.ramet.spi.storage.Usage;
import java.util.function.Consumer;

/** Computes the disk usage of a file by its extents. */
public final class Usages {
  private Usages() {}

  /** Writes dirty data first, because only then is it final which blocks are shared. */
  public static Usage of(Fd fd) throws LinuxException {
    Sum sum = new Sum();
    try {
      Fiemap.walk(fd, true, sum);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EOPNOTSUPP && e.errno() != LinuxException.ENOTTY) {
        throw e;
      }
      // A file system that cannot list extents, such as tmpfs, does not share them either.
      long allocated = fd.stat().allocatedBytes();
      return new Usage(allocated, allocated);
    }
    return new Usage(sum.exclusive, sum.referenced);
  }

  private static final class Sum implements Consumer<Extent> {
    private long exclusive;
    private long referenced;

    @Override
    public void accept(Extent extent) {
      referenced += extent.lengthBytes();
      exclusive += extent.isShared() ? 0 : extent.lengthBytes();
    }
  }
}
