// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.pluginhost.find.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that providers that cannot be created, or have an invalid or duplicate id, are refused. */
final class RefusedProvidersTest {
  private final PluginFolder folder;

  RefusedProvidersTest(@TempDir Path directory) throws IOException {
    folder = new PluginFolder(directory);
  }

  @Test
  void refusesAConstructorThatThrows() {
    folder
        .compile(
            PluginMaker.storage(
                "com.angry", "", "if (true) throw new IllegalStateException(\"no\");", "\"a\""))
        .into(folder.bad("angry.jar"));
    folder.refusedFor(
        "angry.jar", "com.angry", "com.angry.Entry cannot be created: java.lang.Illegal");
  }

  @Test
  void refusesAConstructorThatThrowsAnError() {
    folder
        .compile(
            PluginMaker.storage("com.angry", "", "if (true) throw new Error(\"no\");", "\"a\""))
        .into(folder.bad("angry.jar"));
    folder.refusedFor(
        "angry.jar", "com.angry", "com.angry.Entry cannot be created: java.lang.Error: no");
  }

  @Test
  void refusesAProviderThatIsNotInItsJar() {
    folder
        .compile(PluginMaker.storage("com.hollow", "hollow"))
        .intoWithout("com/hollow/Entry.class", folder.bad("hollow.jar"));
    folder.refusedFor("hollow.jar", "", "a provider cannot be loaded");
  }

  @Test
  void refusesAProviderThatIsNone() throws IOException {
    // Compiled as a provider, then replaced by another class of the same name.
    PluginMaker.Compiled compiled = folder.compile(PluginMaker.storage("com.liar", "liar"));
    Path other =
        folder
            .compile(Map.of("com/liar/Entry.java", "package com.liar; public class Entry {}"))
            .classes();
    Files.copy(
        other.resolve("com/liar/Entry.class"),
        compiled.without("com/liar/Entry.class").classes().resolve("com/liar/Entry.class"));
    compiled.into(folder.bad("liar.jar"));
    folder.refusedFor("liar.jar", "", "a provider cannot be loaded");
  }

  @Test
  void refusesBadIds() {
    folder
        .compile(PluginMaker.storage("com.nameless", "", "", "null"))
        .into(folder.bad("nameless.jar"));
    folder.refusedFor("nameless.jar", "com.nameless", "the id of com.nameless.Entry is null");
    folder.compile(PluginMaker.storage("com.nameless", "../etc")).into(folder.bad("nameless.jar"));
    folder.refusedFor("nameless.jar", "com.nameless", "the id of com.nameless.Entry is ../etc");
    folder
        .compile(PluginMaker.storage("com.nameless", "", "", "String.valueOf(1 / 0)"))
        .into(folder.bad("nameless.jar"));
    folder.refusedFor("nameless.jar", "com.nameless", "by zero");
  }

  @Test
  void refusesTheSecondOfTwoWithOneId() {
    folder
        .compile(PluginMaker.storage("com.zealot", "good"))
        .into(folder.jar("zealot", "zealot.jar"));
    Plugins loaded = folder.load();
    assertEquals(List.of("good"), PluginFolder.storage(loaded));
    Refusal refusal = loaded.refusals().get(0);
    assertEquals("zealot", refusal.plugin());
    assertTrue(
        refusal
            .cause()
            .contains("has the id good, which is also the id of the plugin good: good.jar"),
        refusal.cause());
  }

  @Test
  void doesNotWaitForAConstructorThatHangs() {
    folder
        .compile(
            PluginMaker.storage(
                "com.slow",
                "",
                "try { Thread.sleep(60_000); } catch (InterruptedException e) { return; }",
                "\"slow\""))
        .into(folder.bad("slow.jar"));
    Plugins loaded = folder.load(Duration.ofSeconds(3));
    assertEquals(List.of("good"), PluginFolder.storage(loaded));
    assertTrue(
        loaded.refusals().get(0).cause().contains("were not created within 3000 ms"),
        loaded.refusals()::toString);
  }
}
