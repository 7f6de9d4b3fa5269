// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.copy;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.image.CopyProgress;

/**
 * A way to copy a file, the only difference between file backends. Implementations are thread-safe.
 */
public interface CopyStrategy {
  /**
   * Gives an empty file the content and length of another one; holes stay holes. Nobody writes the
   * source meanwhile. Afterwards each file may be written without a change to the other.
   *
   * @throws LinuxException {@code EXDEV}, {@code EINVAL} or {@code EOPNOTSUPP} if this way of
   *     copying does not work between these two files; the content of the target is then undefined
   */
  void copy(Fd source, Fd target) throws LinuxException;

  /**
   * Copies like {@link #copy(Fd, Fd)} and reports progress. A strategy whose copies take long
   * reports progress meanwhile; by default it is reported once at the end.
   *
   * @throws dev.ramet.errors.RametException {@code CANCELLED} if the observer stopped it
   */
  default void copy(Fd source, Fd target, CopyProgress progress) throws LinuxException {
    copy(source, target);
    long size = target.stat().sizeBytes();
    CopyReporter.report(progress, size, size);
  }
}
