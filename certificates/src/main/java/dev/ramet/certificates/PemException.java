// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

/**
 * A PEM file does not hold the expected content. The message continues a sentence that begins with
 * a setting's name.
 */
public final class PemException extends Exception {
  private static final long serialVersionUID = 1L;

  PemException(String message) {
    super(message);
  }
}
