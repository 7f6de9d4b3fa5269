// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.FileCalls;

/** Facts and settings of this host and this process. */
public final class Host {
  private static final int PR_SET_THP_DISABLE = 41;
  private static final int GROUP_AND_OTHERS = 077;

  private Host() {}

  /** Returns the kernel's release, as {@code uname -r} prints it. */
  public static String kernelRelease() {
    return System.getProperty("os.version", "");
  }

  /** Returns the user whose permissions this process has; 0 is root. */
  public static int effectiveUid() {
    return FileCalls.geteuid();
  }

  /**
   * Makes every file and directory that this process, and every program it starts, creates from now
   * on accessible to its owner alone, whatever mode the call asks for (umask(2), which all threads
   * share).
   */
  public static void makeForOwnerOnly() {
    FileCalls.umask(GROUP_AND_OTHERS);
  }

  /**
   * Disables huge pages for this process and every program it starts from now on (prctl(2),
   * PR_SET_THP_DISABLE). For programs that touch a little of much memory.
   */
  public static void disableHugePages() throws LinuxException {
    int result = FileCalls.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if (result < 0) {
      throw new LinuxException("prctl PR_SET_THP_DISABLE", Native.getLastError(), "this process");
    }
  }
}
