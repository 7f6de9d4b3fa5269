// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingTypes;
import dev.ramet.spi.settings.Settings;
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
  /** The setting for the directory of plugins. */
  public static final Setting<Path> DIRECTORY =
      Setting.path(
              "ramet.plugins-dir",
              "Directory of third-party plugins; each folder in it is one plugin.")
          .inLayout("plugins");

  /** The setting for the folders whose plugin must load. */
  public static final Setting<List<String>> REQUIRED =
      Setting.of(
              "ramet.plugins-required",
              SettingTypes.FOLDERS,
              "Folders whose plugin must load: if one is refused, the host does not start.")
          .orElse("none")
          .like("acme-storage");

  /** The setting for the folders whose plugin may call native code. */
  public static final Setting<List<String>> NATIVE_ACCESS =
      Setting.of(
              "ramet.plugins-native-access",
              SettingTypes.FOLDERS,
              "Folders whose plugin may call native code. Java before 22 cannot keep any plugin"
                  + " from it.")
          .orElse("none")
          .like("acme-storage");

  /** The setting for the plugins that are ranked first. */
  public static final Setting<List<String>> PREFERRED =
      Setting.of(
              "ramet.plugins-preferred",
              SettingTypes.IDS,
              "Ids of plugins that are preferred over all others of their kind where they work.")
          .orElse("none")
          .like("acme-xfs");

  /** Only the built-in plugins, in the host's own order of preference. */
  public static final PluginPolicy BUILT_IN = new PluginPolicy(null, Set.of(), Set.of(), List.of());

  /** Copies the collections. */
  public PluginPolicy {
    required = Set.copyOf(required);
    nativeAccess = Set.copyOf(nativeAccess);
    preferred = List.copyOf(preferred);
  }

  /** Returns the policy that an operator has set. */
  public static PluginPolicy from(Settings settings) {
    return new PluginPolicy(
        settings.find(DIRECTORY).map(Path::toAbsolutePath).orElse(null),
        Set.copyOf(settings.find(REQUIRED).orElse(List.of())),
        Set.copyOf(settings.find(NATIVE_ACCESS).orElse(List.of())),
        settings.find(PREFERRED).orElse(List.of()));
  }

  /** Returns the beginning of the keys of a plugin's settings. */
  public static String prefix(String id) {
    return "ramet.plugin." + id + ".";
  }

  /**
   * Returns a policy that loads the plugins in {@code directory} and neither requires nor trusts
   * any.
   */
  public static PluginPolicy in(Path directory) {
    return new PluginPolicy(directory, Set.of(), Set.of(), List.of());
  }
}
