// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;

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
}
