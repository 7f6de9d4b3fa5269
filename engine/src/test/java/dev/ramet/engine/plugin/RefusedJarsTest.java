// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars that no plugin can be made of are refused, and the others taken. */
final class RefusedJarsTest {
  @TempDir private Path directory;
  private PluginFolder folder;

  @BeforeEach
  void aGoodPluginBesideTheOthers() throws IOException {
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
    Path library =
        folder
            .compile(PluginMaker.library("com.library", "1"))
            .into(directory.resolve("library.jar"));
    folder
        .compile(PluginMaker.storage("com.needy", "requires com.library;", "", "\"n\""), library)
        .into(folder.bad("needy.jar"));
    folder.refusedFor("needy.jar", "com.needy", "it requires the module com.library");
  }

  @Test
  void refusesWhatRequiresAModuleOfTheHost() {
    Path host =
        folder
            .compile(PluginMaker.library("dev.ramet.engine", "1"))
            .into(directory.resolve("host.jar"));
    folder
        .compile(PluginMaker.storage("com.nosy", "requires dev.ramet.engine;", "", "\"n\""), host)
        .into(folder.bad("nosy.jar"));
    folder.refusedFor("nosy.jar", "com.nosy", "it requires the module dev.ramet.engine");
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
