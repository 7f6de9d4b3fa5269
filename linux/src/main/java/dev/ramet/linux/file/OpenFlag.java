// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import java.util.Set;

/** Options for opening a file; see open(2). Every handle is also close-on-exec. */
public enum OpenFlag {
  /** For reading. */
  READ,
  /** For writing. */
  WRITE,
  /** Made when it is absent ({@code O_CREAT}). */
  CREATE,
  /** With {@link #CREATE}: fails if the file exists ({@code O_EXCL}). */
  EXCLUSIVE,
  /** Emptied ({@code O_TRUNC}). */
  TRUNCATE,
  /** Only if it is a directory ({@code O_DIRECTORY}). */
  DIRECTORY,
  /** Fails when the last component is a symbolic link ({@code O_NOFOLLOW}). */
  NO_FOLLOW,
  /** A file without a name in the directory that is opened ({@code O_TMPFILE}). */
  UNNAMED;

  private static final int O_WRONLY = 1;
  private static final int O_RDWR = 2;
  private static final int O_CREAT = 0x40;
  private static final int O_EXCL = 0x80;
  private static final int O_TRUNC = 0x200;
  private static final int O_CLOEXEC = 0x80000;

  // asm-generic/fcntl.h, overridden by arch/arm64/include/uapi/asm/fcntl.h.
  private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");
  private static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
  private static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;

  // asm-generic/fcntl.h: its own bit with O_DIRECTORY, so that old kernels refuse.
  private static final int O_TMPFILE = 0x400000 | O_DIRECTORY;

  public static int bits(Set<OpenFlag> flags) {
    int bits = O_CLOEXEC;
    if (flags.contains(WRITE)) {
      bits |= flags.contains(READ) ? O_RDWR : O_WRONLY;
    }
    bits |= flags.contains(CREATE) ? O_CREAT : 0;
    bits |= flags.contains(EXCLUSIVE) ? O_EXCL : 0;
    bits |= flags.contains(TRUNCATE) ? O_TRUNC : 0;
    bits |= flags.contains(DIRECTORY) ? O_DIRECTORY : 0;
    bits |= flags.contains(NO_FOLLOW) ? O_NOFOLLOW : 0;
    bits |= flags.contains(UNNAMED) ? O_TMPFILE : 0;
    return bits;
  }
}
