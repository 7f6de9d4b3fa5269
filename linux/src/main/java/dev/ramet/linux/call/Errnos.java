// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.call;

import dev.ramet.linux.LinuxException;

/**
 * Error numbers that only this module distinguishes; the others are in {@link LinuxException}.
 * Source: asm-generic/errno-base.h and errno.h.
 */
public final class Errnos {
  public static final int EINTR = 4;
  public static final int ENXIO = 6;
  public static final int EAGAIN = 11;
  public static final int EBUSY = 16;
  public static final int EISDIR = 21;
  public static final int ENOTEMPTY = 39;
  public static final int ESTALE = 116;

  private Errnos() {}
}
