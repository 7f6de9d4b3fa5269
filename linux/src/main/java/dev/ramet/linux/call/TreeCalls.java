// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.call;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/** Calls on names below an open directory, mapped like {@link FileCalls}. */
public final class TreeCalls {
  /** The same number on x86-64 and arm64; since Linux 5.6. */
  public static final long NR_OPENAT2 = 437;

  static {
    Native.register(TreeCalls.class, NativeLibrary.getInstance(null));
  }

  private TreeCalls() {}

  public static native long syscall(
      long number, long first, byte[] second, long third, long fourth);

  public static native int mkdirat(int directory, byte[] name, int mode);

  public static native int unlinkat(int directory, byte[] name, int flags);

  public static native int symlinkat(byte[] target, int directory, byte[] name);

  public static native long readlinkat(int directory, byte[] name, byte[] target, long length);

  public static native int fchownat(int directory, byte[] name, int uid, int gid, int flags);

  public static native int fchmodat(int directory, byte[] name, int mode, int flags);

  public static native int utimensat(int directory, byte[] name, long times, int flags);

  public static native int name_to_handle_at(
      int directory, byte[] name, byte[] handle, int[] mount, int flags);
}
