// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import dev.ramet.spi.Facts;
import dev.ramet.spi.Provider;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.Spliterator;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A kind of service that plugins provide.
 *
 * @param label its name for people
 * @param type the service type
 * @param role its role in the engine, or null for storage provisioners
 */
public record Service(String label, Class<?> type, @Nullable PluginKind role) {
  public static final List<Service> ALL =
      List.of(
          new Service(PluginKind.STORAGE.label(), PluginKind.STORAGE.service(), PluginKind.STORAGE),
          new Service(PluginKind.MEMORY.label(), PluginKind.MEMORY.service(), PluginKind.MEMORY),
          new Service(
              PluginKind.HYPERVISOR.label(),
              PluginKind.HYPERVISOR.service(),
              PluginKind.HYPERVISOR),
          new Service("storage-provisioner", StorageProvisioner.class, null));

  private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,31}");
  private static final Pattern KEY = Pattern.compile("[a-z][a-z0-9.-]*");

  /**
   * One implementation of a service.
   *
   * @param service the service
   * @param id its id
   * @param instance the implementation
   * @param atBest its facts at best, or null for a storage provisioner
   * @param origin where it comes from
   * @param settings the settings that it declares
   */
  public record Found(
      Service service,
      String id,
      Object instance,
      @Nullable Facts atBest,
      Origin origin,
      List<Setting<?>> settings) {
    /** Creates one that declares no settings. */
    public Found(
        Service service, String id, Object instance, @Nullable Facts atBest, Origin origin) {
      this(service, id, instance, atBest, origin, List.of());
    }
  }

  /** Receives providers that cannot be used; throws to stop the search. */
  @FunctionalInterface
  public interface Refuser {
    void refuse(Refusal refusal, @Nullable Throwable cause) throws RefusedException;
  }

  /** Returns how many implementations a layer's own modules declare. */
  private int in(ModuleLayer layer) {
    return layer.modules().stream()
        .flatMap(module -> module.getDescriptor().provides().stream())
        .filter(provides -> provides.service().equals(type.getName()))
        .mapToInt(provides -> provides.providers().size())
        .sum();
  }

  /**
   * Creates an instance of each implementation that a layer's own modules provide.
   *
   * @param origins returns the origin of a module
   * @param unknown the origin of an implementation whose module is unknown
   */
  public List<Found> load(
      ModuleLayer layer, Function<Module, Origin> origins, Origin unknown, Refuser refuser)
      throws RefusedException {
    List<Found> result = new ArrayList<>();
    // Not the iterator: this spliterator also names the module of a class that cannot be
    // instantiated.
    Spliterator<? extends ServiceLoader.Provider<?>> all =
        ServiceLoader.load(layer, type).stream().spliterator();
    // Providers of a layer's own modules come before those of the layers below it.
    for (int left = in(layer); left > 0; left--) {
      List<ServiceLoader.Provider<?>> next = new ArrayList<>(1);
      try {
        if (!all.tryAdvance(next::add)) {
          break;
        }
      } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
        refuser.refuse(refusal(unknown, "a provider cannot be loaded: " + reason(e)), e);
        continue;
      }
      Found found = instantiate(next.get(0), origins, unknown, refuser);
      if (found != null) {
        result.add(found);
      }
    }
    return result;
  }

  private @Nullable Found instantiate(
      ServiceLoader.Provider<?> provider,
      Function<Module, Origin> origins,
      Origin unknown,
      Refuser refuser)
      throws RefusedException {
    // With a provider method, only its return type is known before it is called.
    String name = provider.type().getName();
    Origin origin = type == provider.type() ? unknown : origins.apply(provider.type().getModule());
    Object instance;
    String id;
    Facts atBest;
    List<Setting<?>> settings;
    try {
      instance = provider.get();
      origin = origins.apply(instance.getClass().getModule());
      id = id(instance);
      atBest = instance instanceof Provider<?> of ? of.atBest() : null;
      settings =
          instance instanceof Provider<?> declaring
              ? List.copyOf(declaring.settings())
              : List.<Setting<?>>of();
    } catch (Throwable e) { // whatever a plugin's code throws, the other plugins must still load
      String cause = name + " cannot be created: " + reason(e);
      refuser.refuse(
          e instanceof LinkageError
              ? new Refusal(
                  origin.plugin(), origin.jar(), origin.module(), cause, PluginRules.BUILD_AGAIN)
              : refusal(origin, cause),
          e);
      return null;
    }
    if (id == null || !ID.matcher(id).matches()) {
      refuser.refuse(
          new Refusal(
              origin.plugin(),
              origin.jar(),
              origin.module(),
              "the id of " + name + " is " + id + ", which is not of the form " + ID.pattern(),
              "give it an id of that form"),
          null);
      return null;
    }
    if (role != null && !role.facts().isInstance(atBest)) {
      refuser.refuse(
          new Refusal(
              origin.plugin(),
              origin.jar(),
              origin.module(),
              "the facts of " + name + " are " + atBest + ", not " + role.facts().getSimpleName(),
              "make atBest() return its facts"),
          null);
      return null;
    }
    Set<String> keys = new HashSet<>();
    for (Setting<?> setting : settings) {
      if (!KEY.matcher(setting.key()).matches() || !keys.add(setting.key())) {
        refuser.refuse(
            new Refusal(
                origin.plugin(),
                origin.jar(),
                origin.module(),
                name
                    + " declares a setting "
                    + setting.key()
                    + ", which it already declared or which is not of the form "
                    + KEY.pattern(),
                "give it a different key of that form"),
            null);
        return null;
      }
    }
    return new Found(this, id, instance, atBest, origin, settings);
  }

  @SuppressWarnings("NullAway") // a plugin may break the contract
  private static @Nullable String id(Object instance) {
    return instance instanceof StorageProvisioner provisioner
        ? provisioner.id()
        : ((Provider<?>) instance).id();
  }

  private static Refusal refusal(Origin origin, String cause) {
    return new Refusal(
        origin.plugin(),
        origin.jar(),
        origin.module(),
        cause,
        "fix the plugin: a provider is a public class with a public constructor that does"
            + " nothing");
  }

  /** Returns the reason for a failure, which the service loader wraps. */
  private static String reason(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return String.valueOf(
        thrown instanceof ServiceConfigurationError && cause != null ? cause : thrown);
  }
}
