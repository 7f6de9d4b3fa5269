// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import java.net.InetAddress;

/**
 * The address and port that a guest wanted to connect to. Immutable and thread-safe.
 *
 * @param address the address that the guest chose
 * @param port the port, from 1
 */
public record OriginalDestination(InetAddress address, int port) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /** Returns whether HTTP requests are expected there, plain or over TLS. */
  boolean isWeb() {
    return port == HTTP || port == HTTPS;
  }
}
