// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.pluginhost.find.Refusal;
import dev.ramet.spi.Provider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A folder with the plugin {@code good} and those that a test adds. */
final class PluginFolder {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Path directory;
  private final Path plugins;
  private final PluginMaker maker;

  /**
   * Creates the folder.
   *
   * @param directory an empty directory
   */
  PluginFolder(Path directory) throws IOException {
    this.directory = directory;
    plugins = Files.createDirectory(directory.resolve("plugins"));
    maker = new PluginMaker(Files.createDirectory(directory.resolve("work")));
    maker.compile(PluginMaker.storage("com.good", "good")).into(jar("good", "good.jar"));
  }

  Path plugins() {
    return plugins;
  }

  /** Returns a path outside the plugin folder. */
  Path beside(String name) {
    return directory.resolve(name);
  }

  PluginMaker maker() {
    return maker;
  }

  /** Compiles against this host's contracts. */
  PluginMaker.Compiled compile(Map<String, String> sources, Path... modules) {
    return maker.compile(sources, modules);
  }

  Path jar(String plugin, String jar) {
    return plugins.resolve(plugin).resolve(jar);
  }

  /** Returns a path for a jar of the plugin {@code bad}, which is to be refused. */
  Path bad(String jar) {
    return jar("bad", jar);
  }

  Plugins load() {
    return load(PATIENCE);
  }

  Plugins load(Duration patience) {
    return Plugins.load(PluginPolicy.in(plugins), patience);
  }

  /** Returns the ids of the storage plugins that were loaded. */
  static List<String> storage(Plugins loaded) {
    return loaded.providers(PluginKind.STORAGE).stream().map(Provider::id).toList();
  }

  /**
   * Returns the only refusal, that of the plugin {@code bad}; the good one must load in any case.
   */
  private Refusal refusal() {
    Plugins loaded = load();
    assertEquals(List.of("good"), storage(loaded), "the others are to be taken");
    assertEquals(1, loaded.refusals().size(), loaded.refusals()::toString);
    Refusal refusal = loaded.refusals().get(0);
    assertEquals("bad", refusal.plugin());
    assertFalse(refusal.remedy().isEmpty());
    assertEquals("refused", refusal.report().outcome().name());
    PluginPolicy required = new PluginPolicy(plugins, Set.of("bad"), Set.of(), List.of());
    RametException e = assertThrows(RametException.class, () -> Plugins.load(required, PATIENCE));
    assertEquals(ErrorCode.HOST_UNFIT, e.code());
    assertTrue(
        String.valueOf(e.getMessage()).contains(refusal.cause()), String.valueOf(e.getMessage()));
    return refusal;
  }

  /**
   * Loads the plugins and asserts that only {@code bad} is refused.
   *
   * @param jar the jar named in the refusal, empty for none
   * @param module the module named in the refusal, empty for none
   * @param cause part of the cause
   */
  void refusedFor(String jar, String module, String cause) {
    Refusal refusal = refusal();
    assertEquals(jar, refusal.jar());
    assertEquals(module, refusal.module());
    assertTrue(refusal.cause().contains(cause), refusal.cause());
    for (String part : List.of("bad", jar, module, cause)) {
      assertTrue(refusal.sentence().contains(part), refusal.sentence());
    }
  }
}
