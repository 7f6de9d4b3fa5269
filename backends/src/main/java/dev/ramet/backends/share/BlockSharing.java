// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import dev.ramet.backends.copy.CopyStrategy;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.KernelCopy;

/**
 * A way of copying in which the copy shares its source's blocks until one of them is written, for
 * whole files and for parts of them, on file systems that make a new file, its content and its name
 * durable by one fsync(2) of the file: XFS, whose log keeps the order of all changes, and Btrfs,
 * which logs a file together with its new names. Implementations are thread-safe.
 */
public interface BlockSharing extends CopyStrategy {
  /** Makes an empty file fit to share blocks with another one. */
  default void match(Fd source, Fd target) throws LinuxException {}

  /**
   * Makes a range of the target share the blocks of the same range of the source.
   *
   * @param offset a multiple of the block size
   * @param lengthBytes a multiple of the block size, or up to the end of the source
   */
  default void share(Fd source, Fd target, long offset, long lengthBytes) throws LinuxException {
    KernelCopy.shareRange(source, target, offset, lengthBytes);
  }
}
