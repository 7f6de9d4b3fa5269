// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import java.io.IOException;

/** The rules of a sandbox do not allow what its guest asks for; the message says what. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * A refusal.
   *
   * @param message for the guest and its user
   */
  public RefusedException(String message) {
    super(message);
  }
}
