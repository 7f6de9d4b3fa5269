// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import org.junit.jupiter.api.function.Executable;

/** Operations that have to be refused. */
final class Refusals {
  private Refusals() {}

  /** Runs an operation that has to fail with a code, and answers how it did. */
  static RametException refused(ErrorCode code, Executable operation) {
    RametException e = assertThrows(RametException.class, operation);
    assertEquals(code, e.code(), e.toString());
    return e;
  }
}
