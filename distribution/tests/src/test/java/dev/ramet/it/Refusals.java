// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import org.junit.jupiter.api.function.Executable;

/** Assertions for operations that must fail. */
final class Refusals {
  private Refusals() {}

  /** Runs an operation that must fail with the given code, and returns its exception. */
  static RametException refused(ErrorCode code, Executable operation) {
    RametException e = assertThrows(RametException.class, operation);
    assertEquals(code, e.code(), e.toString());
    return e;
  }
}
