// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import java.net.InetAddress;

/**
 * Where a guest wanted to connect to. Immutable and thread-safe.
 *
 * @param address as the guest chose it
 * @param port from 1
 */
public record Origin(InetAddress address, int port) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /** Whether requests of HTTP are to be expected there, plain or in TLS. */
  boolean web() {
    return port == HTTP || port == HTTPS;
  }
}
