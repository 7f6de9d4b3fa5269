// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.http;

import java.io.IOException;

/** What arrived is no HTTP/1.1, or not such that all understand it alike; the message says why. */
public final class BadHttpException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * A refusal.
   *
   * @param message what is wrong, without what was sent
   */
  public BadHttpException(String message) {
    super(message);
  }
}
