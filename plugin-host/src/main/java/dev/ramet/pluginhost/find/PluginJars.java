// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.io.IOException;
import java.lang.module.FindException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The modules in a plugin's folder. Only descriptors are read: no code of the plugin runs. */
final class PluginJars {
  private static final String JAR = ".jar";

  private final String plugin;
  private final List<Path> files;
  private final Map<String, ModuleReference> modules = new TreeMap<>();

  private PluginJars(String plugin, List<Path> files) {
    this.plugin = plugin;
    this.files = files;
  }

  /**
   * Reads the descriptors of all jars in a folder.
   *
   * @throws RefusedException if a jar is damaged or not a module, or two are the same module
   */
  static PluginJars in(Path folder, String plugin) throws RefusedException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> file.toString().endsWith(JAR)).sorted().toList();
    } catch (IOException e) {
      throw refusal(
          plugin, "", "", "the folder cannot be read: " + e, "let the host's user read it", e);
    }
    if (files.isEmpty()) {
      throw refusal(
          plugin,
          "",
          "",
          "the folder holds no jar",
          "put the plugin's jars directly into the folder, or remove it",
          null);
    }
    PluginJars jars = new PluginJars(plugin, files);
    for (Path file : files) {
      jars.add(file);
    }
    return jars;
  }

  private void add(Path file) throws RefusedException {
    String name = String.valueOf(file.getFileName());
    Set<ModuleReference> found;
    try {
      found = ModuleFinder.of(file).findAll();
    } catch (FindException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      throw refusal(
          plugin,
          name,
          "",
          "it cannot be read as a module: " + (cause == e ? e.getMessage() : cause),
          "copy or build the jar again, for Java " + Runtime.version().feature() + " or older",
          e);
    }
    for (ModuleReference module : found) {
      String id = module.descriptor().name();
      if (module.descriptor().isAutomatic()) {
        throw refusal(
            plugin,
            name,
            "",
            "it is not a module: it holds no module-info.class",
            "use a modular release of it, or put its classes into the plugin's own jar",
            null);
      }
      ModuleReference other = modules.putIfAbsent(id, module);
      if (other != null) {
        throw refusal(
            plugin,
            name,
            id,
            "the same module is in " + jar(other) + " too",
            "remove one of the two jars",
            null);
      }
    }
  }

  /** Returns the name of the plugin's folder. */
  String plugin() {
    return plugin;
  }

  /** Returns the modules by name. */
  Map<String, ModuleReference> modules() {
    return modules;
  }

  /** Returns the file names of all jars, for sentences about them together. */
  String fileNames() {
    return String.join(
        ", ", files.stream().map(file -> String.valueOf(file.getFileName())).toList());
  }

  /** Returns a finder for the modules of this folder only. */
  ModuleFinder finder() {
    return ModuleFinder.of(files.toArray(Path[]::new));
  }

  /** Creates a refusal that concerns one of the modules. */
  RefusedException refusal(ModuleReference module, String cause, String remedy) {
    return refusal(plugin, jar(module), module.descriptor().name(), cause, remedy, null);
  }

  static RefusedException refusal(
      String plugin,
      String jar,
      String module,
      String cause,
      String remedy,
      @Nullable Throwable thrown) {
    return new RefusedException(new Refusal(plugin, jar, module, cause, remedy), thrown);
  }

  static String jar(ModuleReference module) {
    return module.location().map(Origin::fileName).orElse("");
  }
}
