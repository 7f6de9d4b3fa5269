// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Changes the requests that a sandbox's guest sends to some hosts. The relay asks at each
 * connection which name it is for, and leaves those that rules concern to them. Thread-safe.
 */
public interface HeaderRules {
  /** None: every connection is the relay's own matter. */
  HeaderRules NONE =
      new HeaderRules() {
        @Override
        public boolean any() {
          return false;
        }

        @Override
        public boolean concerns(String name) {
          return false;
        }

        @Override
        public void serve(
            String name, boolean tls, InputStream fromGuest, OutputStream toGuest, Upstream to)
            throws IOException {
          throw new IOException("no rules concern " + name);
        }
      };

  /**
   * Whether there are any. Then the guest's connections to ports 80 and 443 come by the relay, also
   * those to addresses that its rules allow.
   */
  default boolean any() {
    return true;
  }

  /**
   * Whether a connection to this host is for these rules.
   *
   * @param name in lower case, without a dot at its end
   */
  boolean concerns(String name);

  /**
   * Serves a connection to its end, on the thread of that connection. The relay closes the guest's
   * side afterwards; what {@code upstream} opened, the rules close.
   *
   * @param name of the host, from the first request's {@code Host} or the server name of TLS
   * @param tls whether the guest speaks TLS
   * @param fromGuest begins at the first byte that the guest sent; reading it blocks, and ends when
   *     the guest ends, or when the sandbox does or its rules change
   * @param toGuest to the guest
   * @param upstream connects to hosts at the port that the guest asked for
   * @throws IOException when the connection cannot go on; the relay resets it
   */
  void serve(
      String name, boolean tls, InputStream fromGuest, OutputStream toGuest, Upstream upstream)
      throws IOException;
}
