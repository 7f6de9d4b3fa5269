// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolutionException;
import java.util.List;

/**
 * The layer of a plugin's modules, on top of the host's layer and with its own class loader, so
 * that two plugins can use different versions of one library.
 *
 * @param layer the layer
 * @param nativeAccess the state of its native access, for people
 */
record PluginLayer(ModuleLayer layer, String nativeAccess) {
  private static final ClassLoader JDK = new JdkLoader();

  /**
   * Links a plugin's modules.
   *
   * @param host the layer that holds the contracts
   * @throws RefusedException if they do not fit together
   */
  static PluginLayer define(PluginJars jars, ModuleLayer host, boolean nativeAccess)
      throws RefusedException {
    try {
      Configuration configuration =
          Configuration.resolve(
              jars.finder(),
              List.of(host.configuration()),
              ModuleFinder.of(),
              jars.modules().keySet());
      // Classes of the host's modules that they may use are found by package, not through the
      // parent loader.
      ModuleLayer.Controller controller =
          ModuleLayer.defineModulesWithOneLoader(configuration, List.of(host), JDK);
      return new PluginLayer(controller.layer(), NativeAccess.set(controller, nativeAccess));
    } catch (ResolutionException | java.lang.LayerInstantiationException e) {
      throw PluginJars.refusal(
          jars.plugin(),
          jars.fileNames(),
          "",
          "its modules do not fit together: " + e.getMessage(),
          "fix that in the plugin and build it again",
          e);
    }
  }
}
