// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.target;

import dev.ramet.cli.local.LocalHost;
import dev.ramet.cli.local.LocalSettings;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The host that a command asks. Immutable and thread-safe.
 *
 * @param address its address
 * @param origin where that was set, for people, such as {@code /etc/ramet/ramet.yaml}
 * @param named whether the user named a host; otherwise it is the one on this machine
 * @param context the saved context that it is from, or null
 * @param local the host as one of this machine, or null for another machine's
 * @param doubt a sentence for people why the address may be wrong, or null
 */
public record Target(
    String address,
    String origin,
    boolean named,
    @Nullable SavedContext context,
    @Nullable LocalHost local,
    @Nullable String doubt) {
  /** The name for the host on this machine, where a context's name is expected. */
  public static final String LOCAL = "local";

  /**
   * Chooses the host: the option {@code --server} or {@code --context}, else {@code RAMET_SERVER}
   * or {@code RAMET_CONTEXT}, else the host of this machine when {@code RAMET_PORT} or {@code
   * RAMET_CONFIG} says which it is, else the context in use, else the host of this machine.
   *
   * @param server the option {@code --server}, or null
   * @param context the option {@code --context}, or null
   */
  public static Target choose(
      @Nullable String server, @Nullable String context, Map<String, String> environment) {
    if (server != null) {
      return named(server, "--server", environment);
    }
    if (context != null) {
      return ofContext(context, "--context", environment);
    }
    String variable = variable(environment, "RAMET_SERVER");
    if (variable != null) {
      return named(variable, "RAMET_SERVER", environment);
    }
    String chosen = variable(environment, "RAMET_CONTEXT");
    if (chosen != null) {
      return ofContext(chosen, "RAMET_CONTEXT", environment);
    }
    if (variable(environment, "RAMET_CONFIG") != null || LocalSettings.setsPort(environment)) {
      return local(environment);
    }
    SavedContext current = ContextFile.of(environment).current();
    return current == null
        ? local(environment)
        : of(current, "the context " + current.name(), environment);
  }

  private static Target named(String address, String origin, Map<String, String> environment) {
    return new Target(address, origin, true, null, LocalHost.at(address, environment), null);
  }

  private static Target ofContext(String name, String by, Map<String, String> environment) {
    if (name.equals(LOCAL)) {
      return local(environment);
    }
    SavedContext found = ContextFile.of(environment).get(name);
    return of(found, "the context " + name + ", by " + by, environment);
  }

  private static Target of(SavedContext context, String origin, Map<String, String> environment) {
    return new Target(
        context.server(), origin, true, context, LocalHost.at(context.server(), environment), null);
  }

  /** Returns the host on this machine. */
  public static Target local(Map<String, String> environment) {
    LocalSettings settings = LocalSettings.read(environment);
    return new Target(
        settings.address(),
        settings.origin(),
        false,
        null,
        LocalHost.of(settings, environment),
        settings.doubt());
  }

  /**
   * Returns whether the key in {@code RAMET_API_KEY} is for this host. It is for the host that
   * {@code --server} or {@code RAMET_SERVER} names, else for the one on this machine: a context
   * that names another host gets its key from its own settings only.
   */
  public boolean takesKeyOf(Map<String, String> environment) {
    return context == null
        || isSame(variable(environment, "RAMET_SERVER"))
        || isSame(LocalSettings.read(environment).address());
  }

  private boolean isSame(@Nullable String other) {
    return other != null && withoutSlash(other).equals(withoutSlash(address));
  }

  private static String withoutSlash(String text) {
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }

  /**
   * Returns the file of authorities to trust, or null for those of Java.
   *
   * @param option the option {@code --ca}, or null
   */
  public @Nullable Path authority(@Nullable Path option, Map<String, String> environment) {
    if (option != null) {
      return option;
    }
    if (context != null && context.authority() != null) {
      return Path.of(context.authority());
    }
    String set = variable(environment, "RAMET_CA");
    if (set != null) {
      return Path.of(set);
    }
    return local == null ? null : local.authority();
  }

  private static @Nullable String variable(Map<String, String> environment, String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }
}
