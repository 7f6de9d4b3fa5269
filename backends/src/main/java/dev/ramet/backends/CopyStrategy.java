// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.CopyProgress;

/** The one thing in which file backends differ. Implementations are thread-safe. */
public interface CopyStrategy {
  /**
   * Gives an empty file the content and length of another one; holes stay holes. Nobody writes the
   * source meanwhile. After that each may be written without a change to the other.
   *
   * @throws LinuxException {@code EXDEV}, {@code EINVAL} or {@code EOPNOTSUPP} when this way of
   *     copying does not work between these two files; the target is of no use then
   */
  void copy(Fd source, Fd target) throws LinuxException;

  /**
   * Does the same, watched. A strategy whose copies take long tells how far it is meanwhile; by
   * default it is told once that it is done.
   *
   * @throws dev.ramet.errors.RametException {@code CANCELLED} when it was told to stop
   */
  default void copy(Fd source, Fd target, CopyProgress progress) throws LinuxException {
    copy(source, target);
    long size = target.stat().sizeBytes();
    Copying.report(progress, size, size);
  }
}
