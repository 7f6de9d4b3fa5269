// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

/** A file that does not hold what it should. Its message goes on from a setting's name. */
final class PemException extends Exception {
  private static final long serialVersionUID = 1L;

  PemException(String message) {
    super(message);
  }
}
