// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Loads classes of the JDK only; the parent of plugins' class loaders. The platform class loader
 * alone would not do, because it finds classes of any module in the boot layer.
 */
final class JdkLoader extends ClassLoader {
  private final Set<String> modules =
      ModuleFinder.ofSystem().findAll().stream()
          .map(ModuleReference::descriptor)
          .map(descriptor -> descriptor.name())
          .collect(Collectors.toUnmodifiableSet());

  JdkLoader() {
    super("jdk", ClassLoader.getPlatformClassLoader());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    Class<?> found = super.loadClass(name, resolve);
    if (!modules.contains(found.getModule().getName())) {
      throw new ClassNotFoundException(name + " is not visible to plugins");
    }
    return found;
  }
}
