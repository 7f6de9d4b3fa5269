// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses a sandbox reaches, and how its ports are reached through the host. If it may open
 * connections, it reaches every address that its host lets guests reach, but what is denied, but
 * what is allowed. Entries are addresses and networks, such as {@code 192.0.2.7}, {@code
 * 10.0.0.0/8} or {@code 2001:db8::/32}; 256 of a kind at most. Immutable and thread-safe as far as
 * its lists are.
 *
 * @param allowOut what it reaches although it is denied, or null for nothing; names of hosts too,
 *     such as {@code example.org} and {@code *.example.org}, where all else is denied
 * @param denyOut what it does not reach, or null for nothing; {@code 0.0.0.0/0} is everything, of
 *     IPv6 too
 * @param allowPublicTraffic false for ports that are reached with a token only; null for true
 * @param maskRequestHost the Host header that servers in it see, where <code>${PORT}</code> stands
 *     for the port; null for the one that led there
 * @param httpsPorts ports whose servers speak TLS; null for none
 * @param egressProxy what its connections leave through; null for nothing
 * @param rules what becomes of its requests, by names of hosts such as {@code api.example.org} and
 *     {@code *.example.org}; they allow nothing by themselves; null for nothing, and in lists
 */
public record NetworkSettings(
    @Nullable List<@Nullable String> allowOut,
    @Nullable List<@Nullable String> denyOut,
    @Nullable Boolean allowPublicTraffic,
    @Nullable String maskRequestHost,
    @Nullable List<@Nullable Integer> httpsPorts,
    @Nullable EgressProxy egressProxy,
    @Nullable Map<String, @Nullable List<@Nullable NetworkRule>> rules) {
  /** Rules that leave its requests as they are. */
  public NetworkSettings(
      @Nullable List<@Nullable String> allowOut,
      @Nullable List<@Nullable String> denyOut,
      @Nullable Boolean allowPublicTraffic,
      @Nullable String maskRequestHost,
      @Nullable List<@Nullable Integer> httpsPorts,
      @Nullable EgressProxy egressProxy) {
    this(allowOut, denyOut, allowPublicTraffic, maskRequestHost, httpsPorts, egressProxy, null);
  }

  /** Rules for the addresses that it reaches, and none for its ports. */
  public NetworkSettings(
      @Nullable List<@Nullable String> allowOut, @Nullable List<@Nullable String> denyOut) {
    this(allowOut, denyOut, null, null, null, null);
  }

  /** Rules for what it reaches directly, and for its ports. */
  public NetworkSettings(
      @Nullable List<@Nullable String> allowOut,
      @Nullable List<@Nullable String> denyOut,
      @Nullable Boolean allowPublicTraffic,
      @Nullable String maskRequestHost,
      @Nullable List<@Nullable Integer> httpsPorts) {
    this(allowOut, denyOut, allowPublicTraffic, maskRequestHost, httpsPorts, null);
  }

  /**
   * A proxy of SOCKS5.
   *
   * @param address {@code host:port}
   * @param username whom it is to take the sandbox for, or null
   * @param password of that user, or null; answers never have it
   */
  public record EgressProxy(
      @Nullable String address, @Nullable String username, @Nullable String password) {
    /** Without the password. */
    @Override
    public String toString() {
      return "EgressProxy[" + address + (username == null ? "]" : ", " + username + "]");
    }
  }
}
