// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/** Calls on names below an open directory, mapped like {@link FileCalls}. */
final class TreeCalls {
  /** The same number on x86-64 and arm64; since Linux 5.6. */
  static final long NR_OPENAT2 = 437;

  static {
    Native.register(TreeCalls.class, NativeLibrary.getInstance(null));
  }

  private TreeCalls() {}

  static native long syscall(long number, long first, byte[] second, long third, long fourth);

  static native int mkdirat(int directory, byte[] name, int mode);

  static native int unlinkat(int directory, byte[] name, int flags);

  static native int symlinkat(byte[] target, int directory, byte[] name);

  static native long readlinkat(int directory, byte[] name, byte[] target, long length);

  static native int fchownat(int directory, byte[] name, int uid, int gid, int flags);

  static native int fchmodat(int directory, byte[] name, int mode, int flags);

  static native int utimensat(int directory, byte[] name, long times, int flags);

  static native int name_to_handle_at(
      int directory, byte[] name, byte[] handle, int[] mount, int flags);
}
