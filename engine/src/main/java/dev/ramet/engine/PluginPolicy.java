// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which plugins a host takes beside those it was built with, and how far it trusts them. Immutable.
 *
 * @param directory where each folder is a plugin, or null for none; one that is absent holds none
 * @param required folders whose plugin must be taken: if one is refused, the host does not start
 * @param nativeAccess folders whose plugin may call native code; kept from the others where the
 *     Java runtime can (22 and newer)
 * @param preferred ids of plugins that go before all others of their kind, most preferred first
 */
public record PluginPolicy(
    @Nullable Path directory,
    Set<String> required,
    Set<String> nativeAccess,
    List<String> preferred) {
  /** Only what the host was built with, in its own order of preference. */
  public static final PluginPolicy BUILT_IN = new PluginPolicy(null, Set.of(), Set.of(), List.of());

  /** Copies the collections. */
  public PluginPolicy {
    required = Set.copyOf(required);
    nativeAccess = Set.copyOf(nativeAccess);
    preferred = List.copyOf(preferred);
  }

  /** What the folders in {@code directory} hold, none of them required or trusted. */
  public static PluginPolicy in(Path directory) {
    return new PluginPolicy(directory, Set.of(), Set.of(), List.of());
  }
}
