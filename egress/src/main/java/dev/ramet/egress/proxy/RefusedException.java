// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import java.io.IOException;

/** Thrown if a sandbox's rules do not allow its guest's connection; the message says why. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message for the guest and its user
   */
  public RefusedException(String message) {
    super(message);
  }
}
