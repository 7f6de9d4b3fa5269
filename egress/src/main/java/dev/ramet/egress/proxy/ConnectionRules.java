// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules for one connection, and the decisions made by them, so that changed rules can be
 * applied to the same connection. All state is guarded by the server's lock. Thread-safe.
 */
final class ConnectionRules {
  private final ProxyServer server;
  private final Set<String> names = new HashSet<>();
  private @Nullable ConnectionPolicy decidedBy;
  private @Nullable OriginalDestination origin;
  private @Nullable InetAddress host;

  ConnectionRules(ProxyServer server) {
    this.server = server;
  }

  /** How to treat a connection. */
  enum Way {
    /** Connect to the address that the guest chose, without inspecting its bytes. */
    BY_ADDRESS,
    /** The first bytes decide; the address is allowed as well. */
    LOOK_AT_ALLOWED,
    /** The first bytes decide. */
    LOOK
  }

  /**
   * Starts with the address that the guest wanted to connect to.
   *
   * @throws RefusedException if neither the address nor any name is allowed
   */
  Way start(OriginalDestination to) throws RefusedException {
    synchronized (server) {
      ConnectionPolicy now = server.policy();
      origin = to;
      if (now.mayReach(to.address())) {
        if (now.requests().hasRules() && to.isWeb()) {
          return Way.LOOK_AT_ALLOWED;
        }
        decidedBy = now;
        return Way.BY_ADDRESS;
      }
      if (now.names().isEmpty()) {
        throw new RefusedException("the rules do not allow " + to.address().getHostAddress());
      }
      return Way.LOOK;
    }
  }

  /** Allows the address that the guest chose, if the current rules do. */
  OriginalDestination allowAddress() throws RefusedException {
    synchronized (server) {
      ConnectionPolicy now = server.policy();
      OriginalDestination to = origin();
      if (!now.mayReach(to.address())) {
        throw new RefusedException("the rules do not allow " + to.address().getHostAddress());
      }
      decidedBy = now;
      return to;
    }
  }

  /** Allows a name if the current rules do, and remembers it. */
  void allowName(@Nullable String name) throws RefusedException {
    synchronized (server) {
      ConnectionPolicy now = server.policy();
      if (name == null || !now.names().matches(name)) {
        throw new RefusedException(
            "the rules of this sandbox do not allow " + (name == null ? "this host" : name));
      }
      if (decidedBy == null) {
        decidedBy = now;
      }
      names.add(name);
    }
  }

  /**
   * Returns the request rules that apply to a connection.
   *
   * @param reached whether the connection's address is allowed
   * @return null if none apply
   */
  @Nullable RequestInterceptor interceptor(@Nullable String name, boolean reached) {
    synchronized (server) {
      ConnectionPolicy now = server.policy();
      if (name == null
          || !now.requests().intercepts(name)
          || !(reached || now.names().matches(name))) {
        return null;
      }
      decidedBy = now;
      names.add(name);
      return now.requests();
    }
  }

  /** Refuses a name that request rules apply to. */
  void requireNotIntercepted(@Nullable String name) throws RefusedException {
    synchronized (server) {
      if (name != null && server.policy().requests().intercepts(name)) {
        throw new RefusedException("a request that rules apply to");
      }
    }
  }

  /** Returns the rules that the decision was made by. */
  ConnectionPolicy decidingPolicy() {
    synchronized (server) {
      return Objects.requireNonNull(decidedBy);
    }
  }

  OriginalDestination origin() {
    synchronized (server) {
      return Objects.requireNonNull(origin);
    }
  }

  /**
   * Remembers the address that a name resolved to.
   *
   * @param address null if a proxy looked up the name
   */
  void connected(@Nullable InetAddress address) {
    synchronized (server) {
      host = address;
    }
  }

  /** Returns whether changed rules still allow the connection. */
  boolean isAllowedBy(ConnectionPolicy other) {
    synchronized (server) {
      ConnectionPolicy before = decidedBy;
      OriginalDestination to = origin;
      if (before == null || to == null) {
        return true; // The other rules are going to be asked.
      }
      boolean asked = before.requests().hasRules() || other.requests().hasRules();
      boolean otherRequests = asked && before.requests() != other.requests();
      if ((otherRequests && to.isWeb()) || !Objects.equals(before.upstream(), other.upstream())) {
        return false;
      }
      if (names.isEmpty()) {
        return other.mayReach(to.address());
      }
      InetAddress there = host == null ? to.address() : host;
      return names.stream().allMatch(other.names()::matches) || other.mayReach(there);
    }
  }
}
