// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The origin of a provider: its plugin, jar and module.
 *
 * @param plugin the plugin's folder, or {@link #BUILT_IN}
 * @param jar the file name of its jar, or empty if it is in none
 * @param module its module
 * @param version that module's version, or empty
 * @param nativeAccess the state of its native access, for people
 */
public record Origin(
    String plugin, String jar, String module, String version, String nativeAccess) {
  /** The plugin of providers that the host brings. */
  public static final String BUILT_IN = "built-in";

  /** Returns the origin of a module that the host was started with. */
  public static Origin builtIn(Module module) {
    return forModule(BUILT_IN, module, "the host's");
  }

  /** Returns the origin of a plugin's module. */
  static Origin forModule(String plugin, Module module, String nativeAccess) {
    if (!module.isNamed()) {
      return new Origin(plugin, "", "", "", nativeAccess);
    }
    String name = module.getName();
    String jar =
        Optional.ofNullable(module.getLayer())
            .flatMap(layer -> layer.configuration().findModule(name))
            .flatMap(resolved -> resolved.reference().location())
            .map(Origin::fileName)
            .orElse("");
    String version = module.getDescriptor().rawVersion().orElse("");
    return new Origin(plugin, jar, name, version, nativeAccess);
  }

  static String fileName(URI location) {
    if (!"file".equals(location.getScheme())) {
      return location.toString();
    }
    Path name = Path.of(location).getFileName();
    return name == null ? "" : name.toString();
  }

  /** Describes the jar and the module, for use in a sentence. */
  public String describe() {
    if (module.isEmpty()) {
      return jar.isEmpty() ? plugin : jar;
    }
    return jar.isEmpty() ? "module " + module : jar + ", module " + module;
  }
}
