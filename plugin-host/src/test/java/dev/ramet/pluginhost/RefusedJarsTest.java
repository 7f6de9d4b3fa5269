// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that unusable jars are refused and the other plugins are loaded. */
final class RefusedJarsTest {
  private final PluginFolder folder;

  RefusedJarsTest(@TempDir Path directory) throws IOException {
    folder = new PluginFolder(directory);
  }

  @Test
  void refusesADamagedJar() throws IOException {
    Files.createDirectories(folder.bad("x").getParent());
    Files.writeString(folder.bad("broken.jar"), "PK but no more");
    folder.refusedFor("broken.jar", "", "it cannot be read as a module");
  }

  @Test
  void refusesAJarThatIsNoModule() {
    folder
        .compile(PluginMaker.library("com.plain", "1"))
        .without("module-info.class")
        .into(folder.bad("plain.jar"));
    folder.refusedFor("plain.jar", "", "it is not a module");
  }

  @Test
  void refusesAFolderWithoutJars() throws IOException {
    Files.createDirectories(folder.bad("x").getParent());
    folder.refusedFor("", "", "the folder holds no jar");
  }

  @Test
  void refusesWhatProvidesNothing() {
    folder.compile(PluginMaker.library("com.idle", "1")).into(folder.bad("idle.jar"));
    folder.refusedFor("", "", "none of its modules provides a service");
  }

  @Test
  void refusesWhatRequiresWhatIsNotThere() {
    refusedForRequiring("com.library", "needy");
  }

  @Test
  void refusesWhatRequiresAModuleOfTheHost() {
    refusedForRequiring("dev.ramet.engine", "nosy");
  }

  /**
   * Asserts that a plugin is refused which requires a module at compile time and is installed
   * without it.
   */
  private void refusedForRequiring(String module, String name) {
    Path library =
        folder.compile(PluginMaker.library(module, "1")).into(folder.beside("library.jar"));
    folder
        .compile(
            PluginMaker.storage("com." + name, "requires " + module + ";", "", "\"n\""), library)
        .into(folder.bad(name + ".jar"));
    folder.refusedFor(name + ".jar", "com." + name, "it requires the module " + module);
  }

  @Test
  void refusesSplitPackages() {
    Map<String, String> second = new HashMap<>(PluginMaker.library("com.one", "1"));
    second.put("module-info.java", "module com.two { exports com.one; }");
    folder.compile(PluginMaker.library("com.one", "1")).into(folder.bad("one.jar"));
    folder.compile(second).into(folder.bad("two.jar"));
    folder.refusedFor("two.jar", "com.two", "its package com.one is in one.jar too");
  }

  @Test
  void refusesTwoJarsOfOneModule() {
    folder.compile(PluginMaker.library("com.one", "1")).into(folder.bad("one-1.jar"));
    folder.compile(PluginMaker.library("com.one", "2")).into(folder.bad("one-2.jar"));
    folder.refusedFor("one-2.jar", "com.one", "the same module is in one-1.jar too");
  }
}
