// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

/**
 * The failure of a system call. It is checked, so that code at the edge of a contract must say what
 * the error means there.
 */
public final class LinuxException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The errno values that callers distinguish; the numbers are those of x86-64 and arm64 Linux. */
  public static final int EPERM = 1;

  /** No such file or directory. */
  public static final int ENOENT = 2;

  /** No such process. */
  public static final int ESRCH = 3;

  /** Input-output error. */
  public static final int EIO = 5;

  /** No such device or address: nothing drives the device. */
  public static final int ENXIO = 6;

  /** Permission denied. */
  public static final int EACCES = 13;

  /** Bad address: memory that is not mapped. */
  public static final int EFAULT = 14;

  /** In use. */
  public static final int EBUSY = 16;

  /** Exists already. */
  public static final int EEXIST = 17;

  /** Cross-device link. */
  public static final int EXDEV = 18;

  /** No such device. */
  public static final int ENODEV = 19;

  /** Invalid argument. */
  public static final int EINVAL = 22;

  /** Not a device that knows this request. */
  public static final int ENOTTY = 25;

  /** Larger than a file can be. */
  public static final int EFBIG = 27;

  /** No space left. */
  public static final int ENOSPC = 28;

  /** Read-only file system. */
  public static final int EROFS = 30;

  /** Not supported by this file system. */
  public static final int EOPNOTSUPP = 95;

  /** Disk quota exceeded. */
  public static final int EDQUOT = 122;

  private final String call;
  private final int errno;

  /**
   * Creates the exception for a failed call.
   *
   * @param call the system call, for example {@code openat}
   * @param errno the error number
   * @param subject the path or process it was called on
   */
  public LinuxException(String call, int errno, String subject) {
    super(call + " " + subject + ": errno " + errno);
    this.call = call;
    this.errno = errno;
  }

  /** Returns the system call. */
  public String call() {
    return call;
  }

  /** Returns the error number. */
  public int errno() {
    return errno;
  }
}
