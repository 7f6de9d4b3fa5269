// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

/** The first request with an idempotency key is still being processed. */
public final class InProgressException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Number of seconds after which the caller may retry. */
  public static final int RETRY_AFTER_SECONDS = 1;

  public InProgressException(String key) {
    super("the first request with the Idempotency-Key " + key + " is still being answered");
  }
}
