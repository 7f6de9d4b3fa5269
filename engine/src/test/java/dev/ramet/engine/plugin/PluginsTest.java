// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.PluginPolicy;
import dev.ramet.spi.Provider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken of the plugin folders, what is refused, and what is said about it. */
final class PluginsTest {
  @TempDir private Path directory;
  private Path plugins;
  private PluginMaker maker;

  @BeforeEach
  void aGoodPluginBesideTheOthers() throws IOException {
    plugins = Files.createDirectory(directory.resolve("plugins"));
    maker = new PluginMaker(Files.createDirectory(directory.resolve("work")));
    maker.compile(PluginMaker.storage("com.good", "good")).into(plugins.resolve("good/good.jar"));
  }

  private Plugins load() {
    return Plugins.load(PluginPolicy.in(plugins), Duration.ofSeconds(20));
  }

  private static List<String> storage(Plugins loaded) {
    return loaded.of(Role.STORAGE).stream().map(Provider::id).toList();
  }

  /** The only refusal, of the plugin {@code bad}; the good one is taken whatever happens. */
  private Refusal refusal() {
    Plugins loaded = load();
    assertEquals(List.of("good"), storage(loaded), "the others are to be taken");
    assertEquals(1, loaded.refusals().size(), loaded.refusals()::toString);
    Refusal refusal = loaded.refusals().get(0);
    assertEquals("bad", refusal.plugin());
    assertFalse(refusal.remedy().isEmpty());
    assertEquals("refused", refusal.report().outcome());
    RametException e =
        assertThrows(
            RametException.class,
            () ->
                Plugins.load(
                    new PluginPolicy(plugins, Set.of("bad"), Set.of(), List.of()),
                    Duration.ofSeconds(20)));
    assertEquals(ErrorCode.HOST_UNFIT, e.code());
    assertTrue(
        String.valueOf(e.getMessage()).contains(refusal.cause()), String.valueOf(e.getMessage()));
    return refusal;
  }

  private void refusedFor(String jar, String module, String cause) {
    Refusal refusal = refusal();
    assertEquals(jar, refusal.jar());
    assertEquals(module, refusal.module());
    assertTrue(refusal.cause().contains(cause), refusal.cause());
    for (String part : List.of("bad", jar, module, cause)) {
      assertTrue(refusal.sentence().contains(part), refusal.sentence());
    }
  }

  private Path bad(String jar) {
    return plugins.resolve("bad").resolve(jar);
  }

  @Test
  void tellsWhereAPluginIsFrom() {
    Provider<?> good = load().of(Role.STORAGE).get(0);
    Origin origin = ((GuardedProvider<?>) good).origin();
    assertEquals("good", origin.plugin());
    assertEquals("good.jar", origin.jar());
    assertEquals("com.good", origin.module());
  }

  @Test
  void takesNothingFromWhereNothingIs() {
    assertTrue(storage(Plugins.load(PluginPolicy.BUILT_IN)).isEmpty());
    Plugins absent = Plugins.load(PluginPolicy.in(directory.resolve("absent")));
    assertTrue(absent.refusals().isEmpty());
  }

  @Test
  void twoPluginsCarryDifferentVersionsOfALibrary() {
    for (String version : List.of("1", "2")) {
      Path folder = plugins.resolve("user" + version);
      Path library =
          maker
              .compile(PluginMaker.library("com.library", version))
              .into(folder.resolve("library.jar"));
      maker
          .compile(
              PluginMaker.storage(
                  "com.user", "requires com.library;", "", "\"v\" + com.library.Library.version()"),
              library)
          .into(folder.resolve("user.jar"));
    }
    Plugins loaded = load();
    assertEquals(List.of(), loaded.refusals());
    assertEquals(List.of("good", "v1", "v2"), storage(loaded));
  }

  @Test
  void seesNothingOfTheHostButTheContracts() {
    Map<String, String> sources =
        new HashMap<>(
            PluginMaker.storage(
                "com.curious",
                "",
                "",
                "Sight.of(\"dev.ramet.spi.Provider\", \"dev.ramet.engine.Engine\","
                    + " \"dev.ramet.linux.Linux\", \"org.junit.jupiter.api.Test\","
                    + " \"com.fasterxml.jackson.databind.ObjectMapper\")"));
    sources.put(
        "com/curious/Sight.java",
        """
        package com.curious;
        final class Sight {
          static String of(String... types) {
            String seen = "";
            for (String type : types) {
              try {
                Class.forName(type);
                seen += "yes-";
              } catch (ClassNotFoundException e) {
                seen += "no-";
              }
            }
            return seen;
          }
        }
        """);
    maker.compile(sources).into(plugins.resolve("curious/curious.jar"));
    assertEquals(List.of("yes-no-no-no-no-", "good"), storage(load()));
  }

  @Test
  void takesAProviderThatAMethodMakes() {
    Map<String, String> sources = new HashMap<>(PluginMaker.storage("com.made", "made"));
    sources.put(
        "module-info.java",
        """
        module com.made {
          requires dev.ramet.spi;
          provides dev.ramet.spi.storage.StorageBackendProvider with com.made.Maker;
        }
        """);
    sources.put(
        "com/made/Maker.java",
        """
        package com.made;
        public class Maker {
          public static dev.ramet.spi.storage.StorageBackendProvider provider() {
            return new Entry();
          }
        }
        """);
    maker.compile(sources).into(plugins.resolve("made/made.jar"));
    assertEquals(List.of("good", "made"), storage(load()));
  }

  @Test
  void refusesADamagedJar() throws IOException {
    Files.createDirectories(bad("x").getParent());
    Files.writeString(bad("broken.jar"), "PK but no more");
    refusedFor("broken.jar", "", "it cannot be read as a module");
  }

  @Test
  void refusesAJarThatIsNoModule() {
    maker
        .compile(PluginMaker.library("com.plain", "1"))
        .without("module-info.class")
        .into(bad("plain.jar"));
    refusedFor("plain.jar", "", "it is not a module");
  }

  @Test
  void refusesAFolderWithoutJars() throws IOException {
    Files.createDirectories(bad("x").getParent());
    refusedFor("", "", "the folder holds no jar");
  }

  @Test
  void refusesWhatProvidesNothing() {
    maker.compile(PluginMaker.library("com.idle", "1")).into(bad("idle.jar"));
    refusedFor("", "", "none of its modules provides a service");
  }

  @Test
  void refusesWhatRequiresWhatIsNotThere() {
    Path library =
        maker
            .compile(PluginMaker.library("com.library", "1"))
            .into(directory.resolve("library.jar"));
    maker
        .compile(PluginMaker.storage("com.needy", "requires com.library;", "", "\"n\""), library)
        .into(bad("needy.jar"));
    refusedFor("needy.jar", "com.needy", "it requires the module com.library");
  }

  @Test
  void refusesWhatRequiresAModuleOfTheHost() {
    Path host =
        maker
            .compile(PluginMaker.library("dev.ramet.engine", "1"))
            .into(directory.resolve("host.jar"));
    maker
        .compile(PluginMaker.storage("com.nosy", "requires dev.ramet.engine;", "", "\"n\""), host)
        .into(bad("nosy.jar"));
    refusedFor("nosy.jar", "com.nosy", "it requires the module dev.ramet.engine");
  }

  @Test
  void refusesSplitPackages() {
    Map<String, String> second = new HashMap<>(PluginMaker.library("com.one", "1"));
    second.put("module-info.java", "module com.two { exports com.one; }");
    maker.compile(PluginMaker.library("com.one", "1")).into(bad("one.jar"));
    maker.compile(second).into(bad("two.jar"));
    refusedFor("two.jar", "com.two", "its package com.one is in one.jar too");
  }

  @Test
  void refusesTwoJarsOfOneModule() {
    maker.compile(PluginMaker.library("com.one", "1")).into(bad("one-1.jar"));
    maker.compile(PluginMaker.library("com.one", "2")).into(bad("one-2.jar"));
    refusedFor("one-2.jar", "com.one", "the same module is in one-1.jar too");
  }

  @Test
  void refusesItsOwnCopyOfTheContracts() {
    maker.compile(PluginMaker.storage("com.copy", "copy")).into(bad("copy.jar"));
    Map<String, String> contracts = fakeContracts();
    maker.compile("0.1.0", List.of(), contracts).into(bad("spi.jar"));
    refusedFor("spi.jar", "dev.ramet.spi", "the host has this module itself");
  }

  @Test
  void refusesPackagesOfTheContracts() {
    Map<String, String> sources = new HashMap<>();
    sources.put("module-info.java", "module com.squatter { exports dev.ramet.spi.storage; }");
    sources.put(
        "dev/ramet/spi/storage/Mine.java", "package dev.ramet.spi.storage; public class Mine {}");
    maker.compile(sources).into(bad("squatter.jar"));
    refusedFor("squatter.jar", "com.squatter", "is one of the host's module dev.ramet.spi");
  }

  /** As much of the contracts as a plugin needs to be compiled. */
  private static Map<String, String> fakeContracts() {
    return Map.of(
        "module-info.java",
        "module dev.ramet.spi { exports dev.ramet.spi; exports dev.ramet.spi.storage; }",
        "dev/ramet/spi/ProbeContext.java",
        "package dev.ramet.spi; public class ProbeContext {}",
        "dev/ramet/spi/ProbeResult.java",
        """
        package dev.ramet.spi;
        public interface ProbeResult {
          record Unusable(String reason, String detail, String remedy) implements ProbeResult {}
        }
        """,
        "dev/ramet/spi/storage/StorageBackend.java",
        "package dev.ramet.spi.storage; public interface StorageBackend {}",
        "dev/ramet/spi/storage/StorageBackendProvider.java",
        """
        package dev.ramet.spi.storage;
        public interface StorageBackendProvider {
          String id();
          dev.ramet.spi.ProbeResult probe(dev.ramet.spi.ProbeContext where);
          StorageBackend open(dev.ramet.spi.ProbeContext where);
        }
        """);
  }

  @Test
  void refusesAnotherVersionOfTheContracts() {
    Path contracts =
        maker.compile("99.4", List.of(), fakeContracts()).into(directory.resolve("spi.jar"));
    maker
        .compile(null, List.of(contracts), PluginMaker.storage("com.future", "future"))
        .into(bad("future.jar"));
    refusedFor(
        "future.jar",
        "com.future",
        "it was compiled against dev.ramet.spi 99.4, and this host has");
  }

  @Test
  void refusesAnUnknownVersionOfTheContracts() {
    Path contracts =
        maker.compile(null, List.of(), fakeContracts()).into(directory.resolve("spi.jar"));
    maker
        .compile(null, List.of(contracts), PluginMaker.storage("com.unknown", "unknown"))
        .into(bad("unknown.jar"));
    refusedFor("unknown.jar", "com.unknown", "it does not say against which version");
  }

  @Test
  void comparesVersionsOfTheContracts() {
    assertTrue(runs("0.1.0-SNAPSHOT", "0.1.7"));
    assertFalse(runs("0.2.0", "0.1.0"));
    assertFalse(runs("0.1.0", "0.2.0"));
    assertTrue(runs("1.3.0", "1.0.0"));
    assertFalse(runs("1.3.0", "1.4.0"));
    assertFalse(runs("2.0", "1.4.0"));
    assertTrue(SpiVersion.parse("one").isEmpty());
    assertTrue(SpiVersion.parse("").isEmpty());
  }

  private static boolean runs(String host, String built) {
    return SpiVersion.parse(host).orElseThrow().runs(SpiVersion.parse(built).orElseThrow());
  }

  @Test
  void refusesAConstructorThatThrows() {
    maker
        .compile(
            PluginMaker.storage(
                "com.angry", "", "if (true) throw new IllegalStateException(\"no\");", "\"a\""))
        .into(bad("angry.jar"));
    refusedFor("angry.jar", "com.angry", "com.angry.Entry cannot be made: java.lang.Illegal");
  }

  @Test
  void refusesAConstructorThatThrowsAnError() {
    maker
        .compile(
            PluginMaker.storage("com.angry", "", "if (true) throw new Error(\"no\");", "\"a\""))
        .into(bad("angry.jar"));
    refusedFor("angry.jar", "com.angry", "com.angry.Entry cannot be made: java.lang.Error: no");
  }

  @Test
  void refusesAProviderThatIsNotInItsJar() {
    maker
        .compile(PluginMaker.storage("com.hollow", "hollow"))
        .intoWithout("com/hollow/Entry.class", bad("hollow.jar"));
    refusedFor("hollow.jar", "", "a provider cannot be loaded");
  }

  @Test
  void refusesAProviderThatIsNone() throws IOException {
    // Compiled as a provider and replaced by another class of that name.
    PluginMaker.Compiled compiled = maker.compile(PluginMaker.storage("com.liar", "liar"));
    Path other =
        maker
            .compile(Map.of("com/liar/Entry.java", "package com.liar; public class Entry {}"))
            .classes();
    Files.copy(
        other.resolve("com/liar/Entry.class"),
        compiled.without("com/liar/Entry.class").classes().resolve("com/liar/Entry.class"));
    compiled.into(bad("liar.jar"));
    refusedFor("liar.jar", "", "a provider cannot be loaded");
  }

  @Test
  void refusesBadIds() {
    maker.compile(PluginMaker.storage("com.nameless", "", "", "null")).into(bad("nameless.jar"));
    refusedFor("nameless.jar", "com.nameless", "the id of com.nameless.Entry is null");
    maker.compile(PluginMaker.storage("com.nameless", "../etc")).into(bad("nameless.jar"));
    refusedFor("nameless.jar", "com.nameless", "the id of com.nameless.Entry is ../etc");
    maker
        .compile(PluginMaker.storage("com.nameless", "", "", "String.valueOf(1 / 0)"))
        .into(bad("nameless.jar"));
    refusedFor("nameless.jar", "com.nameless", "by zero");
  }

  @Test
  void refusesTheSecondOfTwoWithOneId() {
    maker
        .compile(PluginMaker.storage("com.zealot", "good"))
        .into(plugins.resolve("zealot/zealot.jar"));
    Plugins loaded = load();
    assertEquals(List.of("good"), storage(loaded));
    Refusal refusal = loaded.refusals().get(0);
    assertEquals("zealot", refusal.plugin());
    assertTrue(
        refusal.cause().contains("calls itself good, as does that of the plugin good: good.jar"),
        refusal.cause());
  }

  @Test
  void doesNotWaitForAConstructorThatHangs() {
    maker
        .compile(
            PluginMaker.storage(
                "com.slow",
                "",
                "try { Thread.sleep(60_000); } catch (InterruptedException e) { return; }",
                "\"slow\""))
        .into(bad("slow.jar"));
    Plugins loaded = Plugins.load(PluginPolicy.in(plugins), Duration.ofSeconds(3));
    assertEquals(List.of("good"), storage(loaded));
    assertTrue(
        loaded.refusals().get(0).cause().contains("were not made within 3000 ms"),
        loaded.refusals()::toString);
  }

  @Test
  void aRequiredPluginThatIsNotThereStopsTheStart() {
    RametException e =
        assertThrows(
            RametException.class,
            () -> Plugins.load(new PluginPolicy(plugins, Set.of("lost"), Set.of(), List.of())));
    assertTrue(
        String.valueOf(e.getMessage()).contains("there is no folder"),
        String.valueOf(e.getMessage()));
    assertNotNull(e.remedy());
  }

  @Test
  void theOperatorsPreferenceGoesFirst() {
    maker.compile(PluginMaker.storage("com.zz", "zz")).into(plugins.resolve("zz/zz.jar"));
    assertEquals(List.of("good", "zz"), storage(load()));
    assertEquals(
        List.of("zz", "good"),
        storage(Plugins.load(new PluginPolicy(plugins, Set.of(), Set.of(), List.of("zz")))));
  }

  @Test
  void whatAPluginThrowsNamesIt() {
    var good = load().of(Role.STORAGE).get(0);
    RametException e =
        assertThrows(
            RametException.class,
            () -> good.open(new dev.ramet.spi.ProbeContext(directory)).close());
    assertEquals(ErrorCode.INTERNAL, e.code());
    assertTrue(
        String.valueOf(e.getMessage())
            .contains("storage plugin good (plugins/good: good.jar, module com.good)"),
        String.valueOf(e.getMessage()));
  }

  @Test
  void saysWhatHoldsForNativeCode() {
    String without = ((GuardedProvider<?>) load().of(Role.STORAGE).get(0)).origin().nativeAccess();
    Plugins granting = Plugins.load(new PluginPolicy(plugins, Set.of(), Set.of("good"), List.of()));
    String with = ((GuardedProvider<?>) granting.of(Role.STORAGE).get(0)).origin().nativeAccess();
    if (Runtime.version().feature() < 22) {
      assertEquals("not restricted by Java " + Runtime.version().feature(), without);
      assertEquals(without, with);
    } else {
      assertEquals("not granted", without);
      assertEquals("granted", with);
    }
  }
}
