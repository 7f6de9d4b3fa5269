// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.api.RametException;
import dev.ramet.engine.network.Cidr;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses a sandbox may reach that may open connections at all: every one, but what is
 * denied, but what is allowed. What the host denies every guest stays out of reach. Each is an
 * address or a network such as {@code 192.0.2.7}, {@code 10.0.0.0/8} or {@code 2001:db8::/32}.
 * Immutable and thread-safe.
 *
 * @param allowOut what may be reached although it is denied
 * @param denyOut what may not be reached; {@code 0.0.0.0/0} is everything, of IPv6 too
 */
public record NetworkRules(List<String> allowOut, List<String> denyOut) {
  /** No rules: all that the host lets guests reach. */
  public static final NetworkRules NONE = new NetworkRules(List.of(), List.of());

  /** Everything is denied. */
  public static final String EVERYTHING = "0.0.0.0/0";

  /** So many of each kind; more belong into a firewall. */
  public static final int MOST = 256;

  /** Copies the lists. */
  public NetworkRules {
    allowOut = List.copyOf(allowOut);
    denyOut = List.copyOf(denyOut);
  }

  /**
   * Rules that somebody asks for.
   *
   * @param allowOut what may be reached although it is denied, or null for nothing
   * @param denyOut what may not be reached, or null for nothing
   * @throws RametException {@code INVALID_ARGUMENT} with the entry that is none
   */
  public static NetworkRules of(
      @Nullable List<@Nullable String> allowOut, @Nullable List<@Nullable String> denyOut) {
    return new NetworkRules(checked("allowOut", allowOut), checked("denyOut", denyOut));
  }

  private static List<String> checked(String field, @Nullable List<@Nullable String> entries) {
    if (entries == null) {
      return List.of();
    }
    if (entries.size() > MOST) {
      throw RametException.invalid("network." + field, "at most " + MOST + " entries");
    }
    List<String> checked = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      String entry = entries.get(i);
      String where = "network." + field + "[" + i + "]";
      if (entry == null) {
        throw RametException.invalid(where, "must be an address or a network");
      }
      try {
        Cidr.parse(entry);
      } catch (IllegalArgumentException e) {
        throw RametException.invalid(
            where, e.getMessage() + "; names of hosts are not known to this filter");
      }
      checked.add(entry);
    }
    return checked;
  }

  /** The same where all is denied that is not allowed. */
  public NetworkRules closed() {
    return new NetworkRules(allowOut, List.of(EVERYTHING));
  }

  /** Whether there are none. */
  public boolean none() {
    return allowOut.isEmpty() && denyOut.isEmpty();
  }
}
