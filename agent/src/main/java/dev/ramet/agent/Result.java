// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;

/**
 * The result of a program. Immutable and thread-safe.
 *
 * @param status its exit status, as a shell reports it: 128 plus the signal's number if a signal
 *     ended it
 * @param out its standard output, as UTF-8
 * @param err its standard error, as UTF-8
 */
public record Result(int status, String out, String err) {
  /** Returns whether it ended with status 0. */
  public boolean ok() {
    return status == 0;
  }

  /**
   * Returns its standard output if it ended with status 0.
   *
   * @throws RametException INTERNAL with its standard error if it did not
   */
  public String text() {
    if (status != 0) {
      throw new RametException(
          ErrorCode.INTERNAL, "the program ended with status " + status + ": " + err.strip());
    }
    return out;
  }
}
