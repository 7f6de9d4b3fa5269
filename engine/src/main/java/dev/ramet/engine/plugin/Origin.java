// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a provider comes from.
 *
 * @param plugin the plugin's folder, or {@link #BUILT_IN}
 * @param jar the file name of its jar, or empty when it is in none
 * @param module its module
 * @param version that module's version, or empty
 * @param nativeAccess what holds for calls of native code, for people
 */
record Origin(String plugin, String jar, String module, String version, String nativeAccess) {
  static final String BUILT_IN = "built-in";

  /** Of a module that the host was started with. */
  static Origin builtIn(Module module) {
    return of(BUILT_IN, module, "the host's");
  }

  /** Of a module of a plugin. */
  static Origin of(String plugin, Module module, String nativeAccess) {
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

  /** For sentences: the jar and the module. */
  String describe() {
    if (module.isEmpty()) {
      return jar.isEmpty() ? plugin : jar;
    }
    return jar.isEmpty() ? "module " + module : jar + ", module " + module;
  }
}
