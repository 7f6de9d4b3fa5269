// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import dev.ramet.egress.rule.HostPatterns;
import dev.ramet.egress.rule.UpstreamProxy;
import java.net.InetAddress;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox's rules for its connections. Immutable and thread-safe.
 *
 * @param never addresses that no guest may reach
 * @param open whether the address rules allow an address that guests may reach
 * @param names hosts that are allowed by name
 * @param upstream the proxy for all connections, or null
 * @param requests rules about requests
 */
public record ConnectionPolicy(
    Predicate<InetAddress> never,
    Predicate<InetAddress> open,
    HostPatterns names,
    @Nullable UpstreamProxy upstream,
    RequestInterceptor requests) {
  /** Returns whether an address may be reached, whatever the name is. */
  boolean mayReach(InetAddress address) {
    return !never.test(address) && open.test(address);
  }
}
