// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.memory;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;
import dev.ramet.linux.call.ProcessCalls;

/**
 * Resets the soft-dirty bits of a process through {@code /proc/<pid>/clear_refs}
 * (admin-guide/mm/soft-dirty.rst). A kernel that does not track them accepts the reset and does
 * nothing: find out by looking at {@link Pagemap#SOFT_DIRTY}. Not thread-safe.
 */
public final class ClearRefs implements AutoCloseable {
  private static final int O_WRONLY = 1;
  private static final byte SOFT_DIRTY = '4';

  private final String path;
  private final NativeBuffer command;
  private int fd;

  private ClearRefs(int fd, String path) throws LinuxException {
    this.fd = fd;
    this.path = path;
    this.command = NativeBuffer.allocate(1);
    command.view(0, 1).put(0, SOFT_DIRTY);
  }

  /**
   * Opens it.
   *
   * @throws LinuxException ENOENT when there is no such process, EACCES when it belongs to another
   *     user
   */
  public static ClearRefs open(long pid) throws LinuxException {
    String path = "/proc/" + pid + "/clear_refs";
    int fd = ProcessCalls.open(path, O_WRONLY | ProcessCalls.O_CLOEXEC);
    int errno = fd < 0 ? Native.getLastError() : 0;
    if (fd < 0) {
      throw new LinuxException("open", errno, path);
    }
    return new ClearRefs(fd, path);
  }

  /**
   * Clears the bit of every page of the process.
   *
   * @throws LinuxException ESRCH when the process has ended
   */
  public void resetSoftDirty() throws LinuxException {
    long n;
    int errno;
    do {
      n = FileCalls.pwrite(fd, command.address(), 1, 0);
      errno = n < 0 ? Native.getLastError() : 0;
    } while (n < 0 && errno == Errnos.EINTR);
    if (n < 0) {
      throw new LinuxException("pwrite", errno, path);
    }
  }

  /** Closes the handle. Idempotent. */
  @Override
  public void close() {
    if (fd >= 0) {
      ProcessCalls.close(fd);
      fd = -1;
      command.close();
    }
  }
}
