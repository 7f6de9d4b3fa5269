// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.call;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The C library's calls on files, mapped directly: primitives and byte arrays only, pointers and
 * sizes as {@code long}. Variadic functions are declared with the arguments this module passes,
 * which the calling conventions of x86-64 and arm64 Linux allow.
 *
 * <p>errno must be read by {@link Native#getLastError()} in the statement after the call: any other
 * call through JNA overwrites it.
 */
public final class FileCalls {
  static {
    Native.register(FileCalls.class, NativeLibrary.getInstance(null));
  }

  private FileCalls() {}

  public static native int open(byte[] path, int flags, int mode);

  public static native int close(int fd);

  public static native int fsync(int fd);

  public static native int fdatasync(int fd);

  public static native int syncfs(int fd);

  public static native long pread(int fd, long buffer, long length, long offset);

  /** The offset is one register here; the library splits it for the kernel. */
  public static native long preadv2(int fd, long vector, int count, long offset, int flags);

  public static native long pwrite(int fd, long buffer, long length, long offset);

  public static native int ftruncate(int fd, long length);

  public static native int fallocate(int fd, int mode, long offset, long length);

  public static native long lseek(int fd, long offset, int whence);

  public static native long copy_file_range(
      int in, long inOffset, int out, long outOffset, long length, int flags);

  public static native int ioctl(int fd, long request, long argument);

  public static native int prctl(int option, long second, long third, long fourth, long fifth);

  public static native int statx(int directory, byte[] path, int flags, int mask, long buffer);

  public static native int statfs(byte[] path, long buffer);

  public static native int fchmod(int fd, int mode);

  /** Returns the previous mask and cannot fail. */
  public static native int umask(int mask);

  public static native int flock(int fd, int operation);

  public static native int sync_file_range(int fd, long offset, long length, int flags);

  /** Returns the error number itself and leaves errno alone. */
  public static native int posix_fadvise(int fd, long offset, long length, int advice);

  public static native int mkdir(byte[] path, int mode);

  public static native int rmdir(byte[] path);

  public static native int unlink(byte[] path);

  public static native int renameat2(int fromDir, byte[] from, int toDir, byte[] to, int flags);

  public static native int linkat(int fromDir, byte[] from, int toDir, byte[] to, int flags);

  public static native int umount2(byte[] path, int flags);

  public static native int fcntl(int fd, int command, long argument);

  public static native int geteuid();
}
