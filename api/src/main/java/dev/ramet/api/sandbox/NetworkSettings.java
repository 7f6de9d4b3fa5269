// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The egress rules of a sandbox, and how its ports are reached through the host. A sandbox that may
 * open connections reaches every address that its host lets guests reach, except those in denyOut;
 * allowOut makes exceptions from denyOut. Entries are addresses and networks, such as {@code
 * 192.0.2.7}, {@code 10.0.0.0/8} or {@code 2001:db8::/32}; at most 256 per list. Immutable and
 * thread-safe if its lists are.
 *
 * @param allowOut addresses and networks it reaches although they are denied, or null for none;
 *     also host names, such as {@code example.org} and {@code *.example.org}, if everything else is
 *     denied
 * @param denyOut addresses and networks it does not reach, or null for none; {@code 0.0.0.0/0}
 *     means everything, IPv6 included
 * @param allowPublicTraffic false if requests to its ports need a token; null for true
 * @param maskRequestHost the Host header that servers in the sandbox see, where <code>${PORT}
 *     </code> stands for the port; null for the Host of the original request
 * @param httpsPorts ports whose servers speak TLS; null for none
 * @param egressProxy the proxy for its outgoing connections; null for none
 * @param rules rules for its requests, by host name such as {@code api.example.org} and {@code
 *     *.example.org}; a rule alone does not allow access; null for none, and in lists of sandboxes
 */
public record NetworkSettings(
    @Nullable List<@Nullable String> allowOut,
    @Nullable List<@Nullable String> denyOut,
    @Nullable Boolean allowPublicTraffic,
    @Nullable String maskRequestHost,
    @Nullable List<@Nullable Integer> httpsPorts,
    @Nullable EgressProxy egressProxy,
    @Nullable Map<String, @Nullable List<@Nullable NetworkRule>> rules) {
  /** Returns settings for outgoing connections only. */
  public static NetworkSettings outgoing(
      @Nullable List<@Nullable String> allowOut, @Nullable List<@Nullable String> denyOut) {
    return new NetworkSettings(allowOut, denyOut, null, null, null, null, null);
  }

  /**
   * A SOCKS5 proxy.
   *
   * @param address {@code host:port}
   * @param username user name to authenticate with, or null
   * @param password password of that user, or null; never returned in responses
   */
  public record EgressProxy(
      @Nullable String address, @Nullable String username, @Nullable String password) {
    /** Omits the password. */
    @Override
    public String toString() {
      return "EgressProxy[" + address + (username == null ? "]" : ", " + username + "]");
    }
  }
}
