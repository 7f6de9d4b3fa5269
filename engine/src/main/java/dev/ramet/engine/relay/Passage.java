// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import dev.ramet.engine.EgressProxy;
import java.net.InetAddress;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox's rules mean for its connections. Immutable and thread-safe.
 *
 * @param never addresses that no guest reaches
 * @param open whether the rules for addresses allow one that guests may reach
 * @param names hosts that are allowed by their name
 * @param proxy what all connections leave through, or null for none
 * @param headers rules about requests
 */
public record Passage(
    Predicate<InetAddress> never,
    Predicate<InetAddress> open,
    HostNames names,
    @Nullable EgressProxy proxy,
    HeaderRules headers) {
  /** Whether an address may be reached, whatever the name is. */
  boolean reaches(InetAddress address) {
    return !never.test(address) && open.test(address);
  }
}
