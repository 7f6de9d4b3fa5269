// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.linux.file.PathCalls;
import java.util.Set;

/** Excludes all other threads and processes from changing a pool. */
final class PoolLock implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(PoolLock.class.getName());

  private final Pool pool;
  private final Fd file;

  private PoolLock(Pool pool, Fd file) {
    this.pool = pool;
    this.file = file;
  }

  static PoolLock acquire(Pool pool) throws LinuxException {
    while (true) {
      Fd file = open(pool);
      boolean mine = false;
      try {
        file.lock();
        mine = isStillThere(pool, file);
        if (mine) {
          return new PoolLock(pool, file);
        }
        // The previous holder deleted the file, so later callers would lock another one.
      } finally {
        if (!mine) {
          file.close();
        }
      }
    }
  }

  private static Fd open(Pool pool) throws LinuxException {
    return Fd.open(pool.lock(), Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.CREATE), 0600);
  }

  private static boolean isStillThere(Pool pool, Fd file) throws LinuxException {
    try (Fd now = Fd.openRead(pool.lock())) {
      return now.stat().inode() == file.stat().inode();
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        return false;
      }
      throw e;
    }
  }

  /** Releases the lock and deletes the file, so that none is left without a pool. */
  @Override
  public void close() {
    try {
      PathCalls.unlink(pool.lock());
    } catch (LinuxException e) {
      // It stays for the next one to lock.
      LOG.log(WARNING, "left behind: {0}", e.getMessage());
    } finally {
      file.close();
    }
  }
}
