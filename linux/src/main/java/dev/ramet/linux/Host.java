// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

/** Facts about this host and this process. */
public final class Host {
  private Host() {}

  /** The kernel's release, as {@code uname -r} prints it. */
  public static String kernelRelease() {
    return System.getProperty("os.version", "");
  }

  /** The user whose permissions this process has; 0 is root. */
  public static int effectiveUid() {
    return FileCalls.geteuid();
  }
}
