// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.spi.Provider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Pattern;

/** The providers found on the module path, by role. Immutable. */
public final class Plugins {
  private static final System.Logger LOG = System.getLogger(Plugins.class.getName());
  private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,31}");
  // A provider that cannot even be listed must not hide the ones behind it, nor loop for ever.
  private static final int MOST_BROKEN_PROVIDERS = 100;

  private final Map<Role, List<Provider<?>>> providers;

  private Plugins(Map<Role, List<Provider<?>>> providers) {
    this.providers = providers;
  }

  /**
   * Loads the built-in plugins.
   *
   * @param uses loaders for each role's service type, made by the caller's module, which declares
   *     the {@code uses}
   */
  public static Plugins load(Map<Role, ServiceLoader<? extends Provider<?>>> uses) {
    Map<Role, List<Provider<?>>> found = new HashMap<>();
    uses.forEach((role, loader) -> found.put(role, loadRole(role, loader)));
    return new Plugins(Map.copyOf(found));
  }

  private static List<Provider<?>> loadRole(
      Role role, ServiceLoader<? extends Provider<?>> loader) {
    Map<String, Provider<?>> byId = new HashMap<>();
    List<Provider<?>> result = new ArrayList<>();
    Iterator<? extends Provider<?>> iterator = loader.iterator();
    int broken = 0;
    while (broken < MOST_BROKEN_PROVIDERS) {
      Provider<?> provider;
      try {
        if (!iterator.hasNext()) {
          break;
        }
        provider = iterator.next();
      } catch (ServiceConfigurationError e) {
        broken++;
        LOG.log(System.Logger.Level.WARNING, "a " + role.label() + " plugin was refused", e);
        continue;
      }
      String id = provider.id();
      if (!ID.matcher(id).matches()) {
        LOG.log(
            System.Logger.Level.WARNING,
            "plugin {0} was refused: its id is not of the form {1}",
            module(provider),
            ID.pattern());
        continue;
      }
      Provider<?> other = byId.putIfAbsent(id, provider);
      if (other != null) {
        throw new RametException(
            ErrorCode.HOST_UNFIT,
            "two "
                + role.label()
                + " plugins call themselves "
                + id
                + ": "
                + module(other)
                + " and "
                + module(provider),
            "remove one of the two modules",
            null);
      }
      result.add(provider);
    }
    result.sort((a, b) -> Integer.compare(Ranking.rank(role, a.id()), Ranking.rank(role, b.id())));
    return List.copyOf(result);
  }

  /** The providers of a role, most preferred first. */
  public List<Provider<?>> of(Role role) {
    return providers.getOrDefault(role, List.of());
  }

  /** The name of the module a provider comes from. */
  public static String module(Object provider) {
    Module module = provider.getClass().getModule();
    return module.isNamed() ? module.getName() : provider.getClass().getName();
  }

  /** The version of the module a provider comes from, or empty. */
  public static String version(Object provider) {
    var descriptor = provider.getClass().getModule().getDescriptor();
    return descriptor == null ? "" : descriptor.rawVersion().orElse("");
  }
}
