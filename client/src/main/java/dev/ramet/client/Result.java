// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;

/**
 * What a program did. Immutable and thread-safe.
 *
 * @param status its exit status, as a shell reports it: 128 and the signal's number if one ended it
 * @param out what it wrote to its standard output, as UTF-8
 * @param err what it wrote to its standard error, as UTF-8
 */
public record Result(int status, String out, String err) {
  /** Whether it ended with status 0. */
  public boolean ok() {
    return status == 0;
  }

  /**
   * What it wrote to its standard output, if it ended with status 0.
   *
   * @throws RametException INTERNAL with what it wrote to its standard error if it did not
   */
  public String text() {
    if (status != 0) {
      throw new RametException(
          ErrorCode.INTERNAL, "the program ended with status " + status + ": " + err.strip());
    }
    return out;
  }
}
