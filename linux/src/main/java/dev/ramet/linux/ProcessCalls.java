// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * Direct mappings of the C library for memory and processes. Pointers and sizes are {@code long}.
 * Whoever calls one reads {@link Native#getLastError} in the very next statement. The constants are
 * those of x86-64 and arm64 Linux (asm-generic/mman-common.h, fcntl.h, linux/falloc.h).
 */
final class ProcessCalls {
  static final int O_RDONLY = 0;
  static final int O_CLOEXEC = 0x80000;

  static final int PROT_NONE = 0;
  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int MAP_SHARED = 1;
  static final int MAP_PRIVATE = 2;
  static final int MAP_FIXED = 0x10;
  static final int MAP_ANONYMOUS = 0x20;
  static final long MAP_FAILED = -1;

  /** Interrupted before anything was transferred: the call is simply made again. */
  static final int EINTR = 4;

  private ProcessCalls() {}

  static {
    Native.register(ProcessCalls.class, NativeLibrary.getInstance(null));
  }

  static native int open(String path, int flags);

  static native int close(int fd);

  static native long pread(int fd, long buffer, long length, long offset);

  static native long mmap(long address, long length, int protection, int flags, int fd, long off);

  static native int munmap(long address, long length);

  static native int madvise(long address, long length, int advice);

  static native int mincore(long address, long length, long vector);

  static native long process_vm_readv(
      int pid, long localVector, long localCount, long remoteVector, long remoteCount, long flags);

  static native long process_vm_writev(
      int pid, long localVector, long localCount, long remoteVector, long remoteCount, long flags);
}
