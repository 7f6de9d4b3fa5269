// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import java.util.Map;

/** Knows the headers that one sandbox's rules put into requests. Thread-safe. */
public interface HeaderSource {
  /**
   * Whether there are headers for a host.
   *
   * @param name in lower case, without a dot at its end
   */
  boolean concerns(String name);

  /**
   * The headers for a request to a host, with the values that secrets have now. May take its time.
   *
   * @throws UnavailableException when a value cannot be had; the request is not sent
   */
  Map<String, String> headers(String name) throws UnavailableException;

  /** A value cannot be had; the message is for the guest. */
  final class UnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * A failure.
     *
     * @param message without any value
     */
    public UnavailableException(String message) {
      super(message);
    }
  }
}
