// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The effective settings of a host, the source of each, and all errors in them. An option overrides
 * a system property, which overrides the environment, which overrides the file, which overrides the
 * default. Reads the file and the files of a TLS certificate; changes nothing. Immutable and
 * thread-safe.
 */
public final class Configuration {
  private static final String HOST = "ramet.";

  private final SettingCatalog catalog;
  private final ConfigurationSources sources;
  private final Map<String, RawValue> file;
  private final Map<String, RawValue> effective = new LinkedHashMap<>();
  private final List<Problem> problems = new ArrayList<>();
  private final List<Problem> warnings = new ArrayList<>();

  /** Finds settings that are valid separately but contradict each other. */
  @FunctionalInterface
  public interface Checks {
    /** No checks. */
    Checks NONE = (set, problem) -> {};

    /**
     * Runs all checks.
     *
     * @param set the settings, each valid by itself
     * @param problem receives the key of each setting that is wrong, and the error as the rest of a
     *     sentence that begins with the key
     */
    void run(Settings set, BiConsumer<String, String> problem);
  }

  private Configuration(SettingCatalog catalog, ConfigurationSources sources, Checks checks) {
    this.catalog = catalog;
    this.sources = sources;
    Path path = sources.file();
    if (path == null) {
      file = Map.of();
    } else {
      YamlFile read = YamlFile.read(path, catalog);
      problems.addAll(read.problems());
      file = read.given();
      file.values().forEach(this::acceptExact);
      problems.sort(Comparator.comparingInt(problem -> problem.origin().line()));
    }
    new EnvironmentReader(catalog, new VariableSink()).read(sources.environment());
    new TreeMap<>(sources.properties())
        .forEach((key, value) -> property(new RawValue(key, value, ValueSource.property(key))));
    sources
        .flags()
        .forEach((key, value) -> acceptExact(new RawValue(key, value, ValueSource.flag(key))));
    if (problems.isEmpty()) {
      checks.run(settings(), this::addConflict);
    }
  }

  /**
   * Reads the settings.
   *
   * @param catalog the settings there are
   * @param checks run only if every setting is valid by itself
   */
  public static Configuration load(
      SettingCatalog catalog, ConfigurationSources sources, Checks checks) {
    return new Configuration(catalog, sources, checks);
  }

  private void addConflict(String key, String text) {
    RawValue given = effective.get(key);
    problems.add(new Problem(key, given == null ? ValueSource.DEFAULT : given.origin(), text));
  }

  /** Returns all errors; nothing may be started unless this is empty. */
  public List<Problem> problems() {
    return List.copyOf(problems);
  }

  /** Returns the file of settings, or null when there is none. */
  public @Nullable Path file() {
    return sources.file();
  }

  /**
   * Returns the environment variables that look like settings and are none; a host ignores them.
   */
  public List<Problem> warnings() {
    return List.copyOf(warnings);
  }

  /** Returns the settings in the file, for Micronaut. */
  public Map<String, Object> fileProperties() {
    Map<String, Object> map = new LinkedHashMap<>();
    file.forEach((key, given) -> map.put(key, given.value()));
    return map;
  }

  /**
   * Returns the valid settings, for programs. Those that are not set have their defaults; only the
   * defaults that depend on the directory of the installed layout are filled in here.
   */
  public Settings settings() {
    Map<String, String> texts = new LinkedHashMap<>();
    for (Setting<?> setting : catalog.settings()) {
      String fallback = setting.fallback();
      if (fallback != null && fallback.startsWith(Setting.HOME)) {
        texts.put(setting.key(), expand(fallback));
      }
    }
    effective.forEach((key, given) -> texts.put(key, given.value()));
    return Settings.of(texts);
  }

  /** Returns the default values, for Micronaut. */
  public Map<String, Object> defaults() {
    Map<String, Object> map = new LinkedHashMap<>();
    for (Setting<?> setting : catalog.settings()) {
      String fallback = fallback(setting);
      if (fallback != null) {
        map.put(setting.key(), fallback);
      }
    }
    return map;
  }

  /** Returns the value of a setting, or null when it has none. */
  public @Nullable String text(String key) {
    RawValue given = effective.get(key);
    Setting<?> setting = catalog.find(key);
    return given != null ? given.value() : setting == null ? null : fallback(setting);
  }

  /**
   * Returns all effective settings in the order of the catalogue, followed by those of plugins that
   * are not there. As nobody declares these, any may be secret.
   */
  public List<Value> values() {
    List<Value> values = new ArrayList<>();
    for (Setting<?> setting : catalog.settings()) {
      RawValue given = effective.get(setting.key());
      String text = given == null ? fallback(setting) : given.value();
      values.add(
          new Value(
              setting.key(),
              setting.secret() && text != null ? Value.HIDDEN : text,
              setting.unset(),
              given == null ? ValueSource.DEFAULT : given.origin(),
              setting.secret()));
    }
    for (RawValue given : effective.values()) {
      if (catalog.find(given.key()) == null) {
        values.add(new Value(given.key(), Value.HIDDEN, null, given.origin(), true));
      }
    }
    return values;
  }

  private @Nullable String fallback(Setting<?> setting) {
    String fallback = setting.fallback();
    return fallback == null ? null : expand(fallback);
  }

  private String expand(String fallback) {
    return fallback.replace(Setting.HOME, sources.home());
  }

  /** Accepts a setting from the file or an option, which must use its exact name. */
  private void acceptExact(RawValue given) {
    String key = given.key();
    Setting<?> setting = catalog.find(key);
    if (setting != null && !setting.environmentOnly()) {
      put(setting, given);
    } else if (setting != null) {
      problem(given, "can be set in the environment only");
    } else if (key.startsWith(SettingCatalog.PLUGIN)) {
      plugin(given);
    } else {
      unknown(given);
    }
  }

  /** Properties of Java and of other software are not errors. */
  private void property(RawValue given) {
    if (given.key().equals(EnvironmentReader.MORE_FILES)) {
      problem(
          given,
          "is not supported: this host has one file of settings, " + ProcessCatalogue.CONFIG);
    } else if (given.key().startsWith(HOST) || catalog.find(given.key()) != null) {
      acceptExact(given);
    }
  }

  private final class VariableSink implements EnvironmentReader.Sink {
    @Override
    public void put(Setting<?> setting, RawValue given) {
      Configuration.this.put(setting, given);
    }

    @Override
    public void putUnchecked(RawValue given) {
      effective.put(given.key(), given);
    }

    @Override
    public void refuse(RawValue given) {
      property(given);
    }

    @Override
    public void warn(Problem warning) {
      warnings.add(warning);
    }
  }

  private void plugin(RawValue given) {
    String rest = given.key().substring(SettingCatalog.PLUGIN.length());
    int dot = rest.indexOf('.');
    if (dot < 1 || dot == rest.length() - 1) {
      problem(given, "must be " + SettingCatalog.PLUGIN + "<id>.<key>");
    } else if (catalog.plugins().contains(rest.substring(0, dot))) {
      String shared = HOST + rest.substring(dot + 1);
      if (catalog.find(shared) == null) {
        unknown(given);
      } else {
        problem(given, "is set by " + shared);
      }
    } else {
      effective.put(given.key(), given);
    }
  }

  private void unknown(RawValue given) {
    String meant =
        Suggestions.closest(
            given.key(),
            catalog.settings().stream()
                .filter(setting -> !setting.environmentOnly())
                .map(Setting::key)
                .toList(),
            HOST);
    problem(given, "no such setting" + (meant == null ? "" : "; did you mean " + meant));
  }

  private void put(Setting<?> setting, RawValue given) {
    String wrong = setting.problem(given.value());
    if (wrong != null) {
      problem(given, wrong);
    } else {
      effective.put(setting.key(), given);
    }
  }

  private void problem(RawValue given, String text) {
    problems.add(new Problem(given.key(), given.origin(), text));
  }
}
