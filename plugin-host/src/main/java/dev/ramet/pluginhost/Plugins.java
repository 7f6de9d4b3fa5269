// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.Origin;
import dev.ramet.pluginhost.find.PluginFolders;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.pluginhost.find.Refusal;
import dev.ramet.pluginhost.find.RefusedException;
import dev.ramet.pluginhost.find.Service;
import dev.ramet.pluginhost.guard.Guard;
import dev.ramet.pluginhost.guard.GuardedProvider;
import dev.ramet.pluginhost.guard.GuardedProvisioner;
import dev.ramet.spi.Provider;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The plugins of this host: the built-in ones and those in its plugin folders. A plugin that cannot
 * be loaded is refused, and the host continues with the others. Immutable.
 *
 * <p>All providers are guarded, so that they keep their contracts: see {@link Guard}.
 */
public final class Plugins {
  private static final System.Logger LOG = System.getLogger(Plugins.class.getName());
  private static final Duration LOAD_DEADLINE = Duration.ofSeconds(10);

  private final Map<PluginKind, List<Provider<?>>> providers;
  private final List<StorageProvisioner> provisioners;
  private final List<Refusal> refusals;
  private final Ranking ranking;
  private final List<Declared> declared;

  /**
   * The settings that a provider declares.
   *
   * @param id the provider's id
   * @param role what it provides
   * @param builtIn whether it is one of the host's own
   * @param settings the settings, whose keys are those that the provider uses
   */
  public record Declared(String id, PluginKind role, boolean builtIn, List<Setting<?>> settings) {}

  private Plugins(
      Map<PluginKind, List<Provider<?>>> providers,
      List<StorageProvisioner> provisioners,
      List<Refusal> refusals,
      Ranking ranking,
      List<Declared> declared) {
    this.declared = List.copyOf(declared);
    this.providers = providers;
    this.provisioners = List.copyOf(provisioners);
    this.refusals = List.copyOf(refusals);
    this.ranking = ranking;
  }

  /**
   * Loads the plugins.
   *
   * @throws RametException {@code HOST_UNFIT} if a required plugin is refused
   */
  public static Plugins load(PluginPolicy policy) {
    return load(policy, LOAD_DEADLINE);
  }

  /** Loads the plugins with another deadline for each. */
  static Plugins load(PluginPolicy policy, Duration deadline) {
    Plugins found = find(policy, deadline);
    found.check(policy);
    return found;
  }

  /** Loads the plugins. Neither reports nor requires any: see {@link #check}. */
  public static Plugins find(PluginPolicy policy) {
    return find(policy, LOAD_DEADLINE);
  }

  private static Plugins find(PluginPolicy policy, Duration deadline) {
    ModuleLayer own = Plugins.class.getModule().getLayer();
    ModuleLayer host = own == null ? ModuleLayer.boot() : own;
    Collection collection = new Collection();
    for (Service service : Service.ALL) {
      collection.addBuiltIn(service, host);
    }
    new PluginFolders(policy, host, deadline)
        .load(collection.refusals)
        .forEach(collection::addFolder);
    List<Refusal> refusals =
        collection.refusals.stream().sorted(Comparator.comparing(Refusal::plugin)).toList();
    Ranking ranking = new Ranking(policy.preferred());
    return new Plugins(
        collection.sorted(ranking),
        collection.provisioners,
        refusals,
        ranking,
        collection.declared);
  }

  /**
   * Returns providers as if they were the host's own, ranked and guarded like these. For tests of
   * code that uses plugins.
   */
  public static Plugins providers(List<Provider<?>> providers) {
    Collection collection = new Collection();
    Ranking ranking = new Ranking(List.of());
    for (Provider<?> one : providers) {
      for (Service service : Service.ALL) {
        if (service.type().isInstance(one)) {
          Origin origin = Origin.builtIn(one.getClass().getModule());
          collection.register(
              new Service.Found(service, one.id(), one, one.atBest(), origin, one.settings()));
        }
      }
    }
    return new Plugins(
        collection.sorted(ranking), List.of(), List.of(), ranking, collection.declared);
  }

  /**
   * Logs which plugins are refused.
   *
   * @throws RametException {@code HOST_UNFIT} if a required plugin is refused
   */
  public void check(PluginPolicy policy) {
    for (Refusal refusal : refusals) {
      if (policy.required().contains(refusal.plugin())) {
        throw new RametException(
            ErrorCode.HOST_UNFIT,
            "a required plugin is missing: " + refusal.sentence(),
            refusal.remedy() + ", or remove it from ramet.plugins-required",
            null);
      }
      LOG.log(System.Logger.Level.WARNING, "{0}; {1}", refusal.sentence(), refusal.remedy());
    }
  }

  /** The plugins accepted so far. */
  private static final class Collection {
    final Map<PluginKind, List<Provider<?>>> providers = new EnumMap<>(PluginKind.class);
    final List<StorageProvisioner> provisioners = new ArrayList<>();
    final List<Refusal> refusals = new ArrayList<>();
    final List<Declared> declared = new ArrayList<>();
    private final Map<String, Origin> taken = new HashMap<>();

    void addBuiltIn(Service service, ModuleLayer host) {
      try {
        List<Service.Found> found =
            service.load(
                host,
                Origin::builtIn,
                new Origin(Origin.BUILT_IN, "", "", "", ""),
                (refusal, cause) -> refuse(refusal, cause));
        for (Service.Found one : found) {
          Refusal refusal = duplicate(one);
          if (refusal == null) {
            register(one);
          } else {
            refuse(refusal, null);
          }
        }
      } catch (RefusedException e) {
        refuse(e.refusal(), e);
      }
    }

    /** Accepts all of a folder or nothing. An id that is taken stays with its first provider. */
    void addFolder(String name, List<Service.Found> loaded) {
      Map<String, Origin> before = Map.copyOf(taken);
      for (Service.Found one : loaded) {
        Refusal refusal = duplicate(one);
        if (refusal != null) {
          taken.clear();
          taken.putAll(before);
          refuse(refusal, null);
          return;
        }
        taken.put(key(one), one.origin());
      }
      loaded.forEach(this::register);
    }

    private void refuse(Refusal refusal, @Nullable Throwable cause) {
      LOG.log(System.Logger.Level.DEBUG, refusal.sentence(), cause);
      refusals.add(refusal);
    }

    private @Nullable Refusal duplicate(Service.Found found) {
      Origin other = taken.get(key(found));
      if (other == null) {
        return null;
      }
      Origin origin = found.origin();
      boolean builtIn = other.plugin().equals(Origin.BUILT_IN);
      return new Refusal(
          origin.plugin(),
          origin.jar(),
          origin.module(),
          "its "
              + found.service().label()
              + " plugin has the id "
              + found.id()
              + ", which is also the id of "
              + (builtIn ? "" : "the plugin " + other.plugin() + ": ")
              + other.describe(),
          builtIn ? "give it another id" : "remove one of the two");
    }

    private void register(Service.Found found) {
      taken.put(key(found), found.origin());
      PluginKind role = found.service().role();
      if (role == null) {
        provisioners.add(
            new GuardedProvisioner(
                (StorageProvisioner) found.instance(), new Guard(found), found.id()));
      } else {
        boolean builtIn = found.origin().plugin().equals(Origin.BUILT_IN);
        declared.add(new Declared(found.id(), role, builtIn, found.settings()));
        providers.computeIfAbsent(role, any -> new ArrayList<>()).add(GuardedProvider.wrap(found));
      }
    }

    private static String key(Service.Found found) {
      return found.service().label() + " " + found.id();
    }

    Map<PluginKind, List<Provider<?>>> sorted(Ranking ranking) {
      Map<PluginKind, List<Provider<?>>> result = new EnumMap<>(PluginKind.class);
      providers.forEach((role, list) -> result.put(role, ranking.sorted(list)));
      return result;
    }
  }

  /** Returns the ranking of this host. */
  public Ranking ranking() {
    return ranking;
  }

  /** Returns the providers of a role, best first where everything they need is there. */
  public List<Provider<?>> providers(PluginKind role) {
    return providers.getOrDefault(role, List.of());
  }

  /** Returns the storage provisioners, built-in ones first. */
  public List<StorageProvisioner> provisioners() {
    return provisioners;
  }

  /** Returns the settings that the providers declare. */
  public List<Declared> declared() {
    return declared;
  }

  /** Returns the plugins that were refused. */
  public List<Refusal> refusals() {
    return refusals;
  }
}
