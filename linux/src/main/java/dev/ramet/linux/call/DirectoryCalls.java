// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.call;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/** Calls that read directories, mapped like {@link FileCalls}; in glibc since 2.30. */
public final class DirectoryCalls {
  static {
    Native.register(DirectoryCalls.class, NativeLibrary.getInstance(null));
  }

  private DirectoryCalls() {}

  public static native long getdents64(int fd, long buffer, long lengthBytes);
}
