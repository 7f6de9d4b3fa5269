// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.call;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * Direct mappings of the C library's calls on memory and processes. Pointers and sizes are {@code
 * long}. Callers read {@link Native#getLastError} in the very next statement. The constants are
 * those of x86-64 and arm64 Linux (asm-generic/mman-common.h, fcntl.h, linux/falloc.h).
 */
public final class ProcessCalls {
  public static final int O_RDONLY = 0;
  public static final int O_CLOEXEC = 0x80000;

  public static final int PROT_NONE = 0;
  public static final int PROT_READ = 1;
  public static final int PROT_WRITE = 2;
  public static final int MAP_SHARED = 1;
  public static final int MAP_PRIVATE = 2;
  public static final int MAP_FIXED = 0x10;
  public static final int MAP_ANONYMOUS = 0x20;
  public static final long MAP_FAILED = -1;

  /** Interrupted before anything was transferred: the call is simply made again. */
  public static final int EINTR = 4;

  private ProcessCalls() {}

  static {
    Native.register(ProcessCalls.class, NativeLibrary.getInstance(null));
  }

  public static native int open(String path, int flags);

  public static native int close(int fd);

  public static native long pread(int fd, long buffer, long length, long offset);

  public static native long mmap(
      long address, long length, int protection, int flags, int fd, long off);

  public static native int munmap(long address, long length);

  public static native int madvise(long address, long length, int advice);

  public static native int mincore(long address, long length, long vector);

  public static native long process_vm_readv(
      int pid, long localVector, long localCount, long remoteVector, long remoteCount, long flags);

  public static native long process_vm_writev(
      int pid, long localVector, long localCount, long remoteVector, long remoteCount, long flags);
}
