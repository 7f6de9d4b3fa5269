// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

/**
 * Error numbers that only this module tells apart; the others are in {@link LinuxException}.
 * Source: asm-generic/errno-base.h and errno.h.
 */
final class Errnos {
  static final int EINTR = 4;
  static final int ENXIO = 6;
  static final int EAGAIN = 11;
  static final int EBUSY = 16;
  static final int EISDIR = 21;
  static final int ENOTEMPTY = 39;
  static final int ESTALE = 116;

  private Errnos() {}
}
