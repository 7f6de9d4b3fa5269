// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;

/**
 * Tests whether anybody else has a file open or mapped: the kernel grants a write lease only if
 * there is no other open description of the file (fcntl(2), {@code F_SETLEASE}), and a mapping
 * keeps the one it was made with.
 */
public final class WriteLease {
  private static final int F_SETSIG = 10;
  private static final int F_SETLEASE = 1024;
  private static final int F_WRLCK = 1;
  private static final int F_UNLCK = 2;

  /** A signal that is ignored, in place of one that would end this process. */
  private static final int SIGURG = 23;

  private WriteLease() {}

  /**
   * Requests a lease and gives it back at once. Anyone who opens the file in between is not
   * refused, but waits until the lease is given back.
   *
   * @param file open for writing
   * @return whether this handle is the only one
   * @throws LinuxException EINVAL if the file or its file system does not support leases, EACCES if
   *     the file belongs to another user and this process lacks CAP_LEASE
   */
  public static boolean isSoleOpener(Fd file) throws LinuxException {
    call(file, F_SETSIG, SIGURG, "fcntl F_SETSIG");
    try {
      call(file, F_SETLEASE, F_WRLCK, "fcntl F_SETLEASE");
    } catch (LinuxException e) {
      if (e.errno() == Errnos.EAGAIN) {
        return false;
      }
      throw e;
    }
    call(file, F_SETLEASE, F_UNLCK, "fcntl F_SETLEASE");
    return true;
  }

  private static void call(Fd file, int command, long argument, String name) throws LinuxException {
    int result = FileCalls.fcntl(file.number(), command, argument);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw new LinuxException(name, errno, file.toString());
    }
  }
}
