// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses a sandbox may reach, if it may open connections at all. Everything is reachable
 * except the denied networks, and the allowed entries are exceptions to those. Addresses that the
 * host denies to every guest stay unreachable. An entry is an address or a network, such as {@code
 * 192.0.2.7}, {@code 10.0.0.0/8} or {@code 2001:db8::/32}. An allowed entry may also be a host
 * name, or all names below one, such as {@code *.example.org}, for HTTP requests and TLS
 * connections to it. Immutable and thread-safe.
 *
 * @param allowOut what may be reached although it is denied
 * @param denyOut what may not be reached; {@code 0.0.0.0/0} denies everything, including IPv6
 * @param egressProxy the proxy for outgoing connections, or null for none
 * @param requests headers to put into requests to some hosts; they do not allow any connection
 */
public record NetworkRules(
    List<String> allowOut,
    List<String> denyOut,
    @Nullable UpstreamProxy egressProxy,
    @Nullable RequestRules requests) {
  /** No rules: everything that the host lets guests reach. */
  public static final NetworkRules NONE = new NetworkRules(List.of(), List.of());

  /** The network that stands for every address. */
  public static final String EVERYTHING = "0.0.0.0/0";

  /** The largest number of entries of each kind; longer lists belong in a firewall. */
  public static final int MAX = 256;

  /** Copies the lists, and fills in values that an older record lacks. */
  public NetworkRules {
    allowOut = List.copyOf(allowOut);
    denyOut = List.copyOf(denyOut);
    requests = requests == null ? RequestRules.NONE : requests;
  }

  /** Creates rules without a proxy that do not change requests. */
  public NetworkRules(List<String> allowOut, List<String> denyOut) {
    this(allowOut, denyOut, null, RequestRules.NONE);
  }

  @Override
  public RequestRules requests() {
    return requests == null ? RequestRules.NONE : requests;
  }

  /**
   * Creates rules without a proxy from the values of a request.
   *
   * @param allowOut what may be reached although it is denied, or null for nothing
   * @param denyOut what may not be reached, or null for nothing
   * @throws RametException {@code INVALID_ARGUMENT} that names the invalid entry
   */
  public static NetworkRules parse(
      @Nullable List<@Nullable String> allowOut, @Nullable List<@Nullable String> denyOut) {
    return new NetworkRules(
        requireValid("allowOut", allowOut, NetworkRules::requireTarget),
        requireValid("denyOut", denyOut, NetworkRules::requireNetwork));
  }

  private static List<String> requireValid(
      String field, @Nullable List<@Nullable String> entries, UnaryOperator<String> check) {
    if (entries == null) {
      return List.of();
    }
    if (entries.size() > MAX) {
      throw RametException.invalid("network." + field, "at most " + MAX + " entries");
    }
    List<String> checked = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      String entry = entries.get(i);
      String where = "network." + field + "[" + i + "]";
      if (entry == null) {
        throw RametException.invalid(where, "must be an address or a network");
      }
      try {
        checked.add(check.apply(entry));
      } catch (IllegalArgumentException e) {
        throw RametException.invalid(where, String.valueOf(e.getMessage()));
      }
    }
    return checked;
  }

  private static String requireNetwork(String entry) {
    try {
      Cidr.parse(entry);
      return entry;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage() + "; host names can be allowed but not denied", e);
    }
  }

  private static String requireTarget(String entry) {
    return isNetwork(entry) ? entry : HostPatterns.pattern(entry);
  }

  private static boolean isNetwork(String entry) {
    try {
      Cidr.parse(entry);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Returns the allowed addresses and networks. */
  public List<String> allowedNetworks() {
    return allowOut.stream().filter(NetworkRules::isNetwork).toList();
  }

  /** Returns the allowed host names. */
  public List<String> allowedNames() {
    return allowOut.stream().filter(entry -> !isNetwork(entry)).toList();
  }

  /**
   * Refuses allowed host names unless everything else is denied, because without that they would
   * have no effect.
   *
   * @throws RametException {@code INVALID_ARGUMENT} for allowed names without a rule that denies
   *     all
   */
  public void checkNames() {
    boolean closed =
        denyOut.stream().map(Cidr::parse).anyMatch(one -> Cidr.parse(EVERYTHING).equals(one));
    if (!closed && !allowedNames().isEmpty()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "network.allowOut: host names can only be allowed where everything else is denied",
          "add " + EVERYTHING + " to network.denyOut, or set allow_internet_access to false",
          null);
    }
  }

  /** Returns these rules with everything denied that is not allowed. */
  public NetworkRules denyingRest() {
    return new NetworkRules(allowOut, List.of(EVERYTHING), egressProxy, requests);
  }

  /** Returns these rules with another proxy for outgoing connections. */
  public NetworkRules withProxy(@Nullable UpstreamProxy proxy) {
    return new NetworkRules(allowOut, denyOut, proxy, requests);
  }

  /** Returns these rules with other rules for requests. */
  public NetworkRules withRequestRules(RequestRules newRequests) {
    return new NetworkRules(allowOut, denyOut, egressProxy, newRequests);
  }

  /** Returns whether there are no rules. */
  public boolean isEmpty() {
    return allowOut.isEmpty() && denyOut.isEmpty() && egressProxy == null && requests().isEmpty();
  }
}
