// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolutionException;
import java.util.List;

/**
 * A plugin's modules as a layer of their own over the host's, with a class loader of their own: two
 * plugins can carry different versions of one library.
 *
 * @param layer the layer
 * @param nativeAccess what holds for calls of native code, for people
 */
record PluginLayer(ModuleLayer layer, String nativeAccess) {
  private static final ClassLoader JDK = new JdkLoader();

  /**
   * Links a plugin's modules.
   *
   * @param host the layer that holds the contracts
   * @throws RefusedException when they do not fit together
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
      // What of the host's modules they can see comes to them by the names of its packages, not
      // from the parent.
      ModuleLayer.Controller controller =
          ModuleLayer.defineModulesWithOneLoader(configuration, List.of(host), JDK);
      return new PluginLayer(controller.layer(), NativeAccess.set(controller, nativeAccess));
    } catch (ResolutionException | java.lang.LayerInstantiationException e) {
      throw PluginJars.refused(
          jars.plugin(),
          jars.names(),
          "",
          "its modules do not fit together: " + e.getMessage(),
          "mend what the sentence names in the plugin, and build it again",
          e);
    }
  }
}
