// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which plugins a host loads in addition to the built-in ones, and how far it trusts them.
 * Immutable.
 *
 * @param directory the directory in which each folder is a plugin, or null for none; an absent
 *     directory holds none
 * @param required folders whose plugin must load: if one is refused, the host does not start
 * @param nativeAccess folders whose plugin may call native code; others are denied it where the
 *     Java runtime can enforce that (22 and newer)
 * @param preferred ids of plugins that are ranked before all others of their kind, most preferred
 *     first
 */
public record PluginPolicy(
    @Nullable Path directory,
    Set<String> required,
    Set<String> nativeAccess,
    List<String> preferred) {
  /** Only the built-in plugins, in the host's own order of preference. */
  public static final PluginPolicy BUILT_IN = new PluginPolicy(null, Set.of(), Set.of(), List.of());

  /** Copies the collections. */
  public PluginPolicy {
    required = Set.copyOf(required);
    nativeAccess = Set.copyOf(nativeAccess);
    preferred = List.copyOf(preferred);
  }

  /**
   * Returns a policy that loads the plugins in {@code directory} and neither requires nor trusts
   * any.
   */
  public static PluginPolicy in(Path directory) {
    return new PluginPolicy(directory, Set.of(), Set.of(), List.of());
  }
}
