// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import java.io.IOException;

/** A message that is not HTTP/1.1, or that programs may interpret differently. */
public final class BadHttpException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the defect, without the text that was sent
   */
  public BadHttpException(String message) {
    super(message);
  }
}
