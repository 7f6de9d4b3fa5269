// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import dev.ramet.egress.stream.InterceptedConnection;

/**
 * Changes the requests that a sandbox's guest sends to some hosts. The proxy determines the host
 * name of each connection, and hands over those that the rules apply to. Thread-safe.
 */
public interface RequestInterceptor {
  /** Applies to no host. */
  RequestInterceptor NONE =
      new RequestInterceptor() {
        @Override
        public boolean hasRules() {
          return false;
        }

        @Override
        public boolean intercepts(String name) {
          return false;
        }

        @Override
        public void intercept(String name, boolean tls, InterceptedConnection connection) {
          throw new IllegalStateException("no rules concern " + name);
        }
      };

  /**
   * Returns whether there are any rules. If so, the guest's connections to ports 80 and 443 come to
   * the proxy, even those to addresses that its rules allow.
   */
  default boolean hasRules() {
    return true;
  }

  /**
   * Returns whether a connection to this host is handed over.
   *
   * @param name in lower case, without a trailing dot
   */
  boolean intercepts(String name);

  /**
   * Takes over a connection, on its event loop, and replaces the handlers of the guest's side, now
   * or later. The new handlers start at the first byte that the guest sent.
   *
   * @param name of the host, from the first request's {@code Host} or the server name of TLS
   * @param tls whether the guest speaks TLS
   */
  void intercept(String name, boolean tls, InterceptedConnection connection);
}
