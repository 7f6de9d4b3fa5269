// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.engine.network.Cidr;
import dev.ramet.engine.relay.HostNames;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses a sandbox may reach that may open connections at all: every one, but what is
 * denied, but what is allowed. What the host denies every guest stays out of reach. Each is an
 * address or a network such as {@code 192.0.2.7}, {@code 10.0.0.0/8} or {@code 2001:db8::/32}; what
 * is allowed may be a name of a host too, or all names below one, such as {@code *.example.org},
 * for requests of HTTP and connections of TLS to it. Immutable and thread-safe.
 *
 * @param allowOut what may be reached although it is denied
 * @param denyOut what may not be reached; {@code 0.0.0.0/0} is everything, of IPv6 too
 * @param egressProxy what connections leave through, or null for none
 * @param requests what becomes of requests to some hosts; they allow nothing by themselves
 */
public record NetworkRules(
    List<String> allowOut,
    List<String> denyOut,
    @Nullable EgressProxy egressProxy,
    @Nullable RequestRules requests) {
  /** No rules: all that the host lets guests reach. */
  public static final NetworkRules NONE = new NetworkRules(List.of(), List.of());

  /** Everything is denied. */
  public static final String EVERYTHING = "0.0.0.0/0";

  /** So many of each kind; more belong into a firewall. */
  public static final int MOST = 256;

  /** Copies the lists, and fills in what an older record lacks. */
  public NetworkRules {
    allowOut = List.copyOf(allowOut);
    denyOut = List.copyOf(denyOut);
    requests = requests == null ? RequestRules.NONE : requests;
  }

  /** Rules without a proxy. */
  public NetworkRules(List<String> allowOut, List<String> denyOut) {
    this(allowOut, denyOut, null);
  }

  /** Rules that leave requests as they are. */
  public NetworkRules(
      List<String> allowOut, List<String> denyOut, @Nullable EgressProxy egressProxy) {
    this(allowOut, denyOut, egressProxy, RequestRules.NONE);
  }

  @Override
  public RequestRules requests() {
    return requests == null ? RequestRules.NONE : requests;
  }

  /**
   * Rules that somebody asks for, without a proxy.
   *
   * @param allowOut what may be reached although it is denied, or null for nothing
   * @param denyOut what may not be reached, or null for nothing
   * @throws RametException {@code INVALID_ARGUMENT} with the entry that is none
   */
  public static NetworkRules of(
      @Nullable List<@Nullable String> allowOut, @Nullable List<@Nullable String> denyOut) {
    return new NetworkRules(
        checked("allowOut", allowOut, NetworkRules::checkedTarget),
        checked("denyOut", denyOut, NetworkRules::checkedNetwork));
  }

  private static List<String> checked(
      String field, @Nullable List<@Nullable String> entries, UnaryOperator<String> check) {
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
        checked.add(check.apply(entry));
      } catch (IllegalArgumentException e) {
        throw RametException.invalid(where, String.valueOf(e.getMessage()));
      }
    }
    return checked;
  }

  private static String checkedNetwork(String entry) {
    try {
      Cidr.parse(entry);
      return entry;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage() + "; names of hosts can be allowed, not denied", e);
    }
  }

  private static String checkedTarget(String entry) {
    return isNetwork(entry) ? entry : HostNames.pattern(entry);
  }

  private static boolean isNetwork(String entry) {
    try {
      Cidr.parse(entry);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** The addresses and networks among what is allowed. */
  public List<String> allowedNetworks() {
    return allowOut.stream().filter(NetworkRules::isNetwork).toList();
  }

  /** The names of hosts among what is allowed. */
  public List<String> allowedNames() {
    return allowOut.stream().filter(entry -> !isNetwork(entry)).toList();
  }

  /**
   * Refuses names where they would allow what is not denied.
   *
   * @throws RametException {@code INVALID_ARGUMENT}
   */
  public void checkNames() {
    boolean closed =
        denyOut.stream().map(Cidr::parse).anyMatch(one -> Cidr.parse(EVERYTHING).equals(one));
    if (!closed && !allowedNames().isEmpty()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "network.allowOut: names of hosts hold only where all else is denied",
          "add " + EVERYTHING + " to network.denyOut, or set allow_internet_access to false",
          null);
    }
  }

  /** The same where all is denied that is not allowed. */
  public NetworkRules closed() {
    return new NetworkRules(allowOut, List.of(EVERYTHING), egressProxy, requests);
  }

  /** The same with what connections leave through. */
  public NetworkRules through(@Nullable EgressProxy proxy) {
    return new NetworkRules(allowOut, denyOut, proxy, requests);
  }

  /** The same with other rules for requests. */
  public NetworkRules with(RequestRules newRequests) {
    return new NetworkRules(allowOut, denyOut, egressProxy, newRequests);
  }

  /** Whether there are none. */
  public boolean none() {
    return allowOut.isEmpty() && denyOut.isEmpty() && egressProxy == null && requests().none();
  }
}
