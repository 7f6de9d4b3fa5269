// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

/** A file that does not hold what it should. Its message goes on from a setting's name. */
public final class PemException extends Exception {
  private static final long serialVersionUID = 1L;

  PemException(String message) {
    super(message);
  }
}
