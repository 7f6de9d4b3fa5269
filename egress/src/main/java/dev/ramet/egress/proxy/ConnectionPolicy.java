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
 * @param never addresses that no guest reaches
 * @param open whether the rules for addresses allow one that guests may reach
 * @param names hosts that are allowed by their name
 * @param upstream the proxy that all connections leave through, or null for none
 * @param requests rules about requests
 */
public record ConnectionPolicy(
    Predicate<InetAddress> never,
    Predicate<InetAddress> open,
    HostPatterns names,
    @Nullable UpstreamProxy upstream,
    RequestInterceptor requests) {
  /** Whether an address may be reached, whatever the name is. */
  boolean reaches(InetAddress address) {
    return !never.test(address) && open.test(address);
  }
}
