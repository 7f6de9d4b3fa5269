// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.Origin;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.pluginhost.guard.GuardedProvider;
import dev.ramet.spi.Provider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which plugins of the folders are loaded, and how they are reported. */
final class PluginsTest {
  private final PluginFolder folder;

  PluginsTest(@TempDir Path directory) throws IOException {
    folder = new PluginFolder(directory);
  }

  @Test
  void tellsWhereAPluginIsFrom() {
    Provider<?> good = folder.load().providers(PluginKind.STORAGE).get(0);
    Origin origin = ((GuardedProvider<?>) good).origin();
    assertEquals("good", origin.plugin());
    assertEquals("good.jar", origin.jar());
    assertEquals("com.good", origin.module());
  }

  @Test
  void takesNothingFromWhereNothingIs() {
    assertTrue(PluginFolder.storage(Plugins.load(PluginPolicy.BUILT_IN)).isEmpty());
    Plugins absent = Plugins.load(PluginPolicy.in(folder.beside("absent")));
    assertTrue(absent.refusals().isEmpty());
  }

  @Test
  void twoPluginsCarryDifferentVersionsOfALibrary() {
    for (String version : List.of("1", "2")) {
      String user = "user" + version;
      Path library =
          folder
              .compile(PluginMaker.library("com.library", version))
              .into(folder.jar(user, "library.jar"));
      folder
          .compile(
              PluginMaker.storage(
                  "com.user", "requires com.library;", "", "\"v\" + com.library.Library.version()"),
              library)
          .into(folder.jar(user, "user.jar"));
    }
    Plugins loaded = folder.load();
    assertEquals(List.of(), loaded.refusals());
    assertEquals(List.of("good", "v1", "v2"), PluginFolder.storage(loaded));
  }

  @Test
  void seesNothingOfTheHostButTheContracts() {
    Map<String, String> sources =
        new HashMap<>(
            PluginMaker.storage(
                "com.curious",
                "",
                "",
                "Sight.of(\"dev.ramet.spi.Provider\", \"dev.ramet.engine.start.Engine\","
                    + " \"dev.ramet.linux.file.Warmup\", \"org.junit.jupiter.api.Test\","
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
    folder.compile(sources).into(folder.jar("curious", "curious.jar"));
    assertEquals(List.of("good", "yes-no-no-no-no-"), PluginFolder.storage(folder.load()));
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
    folder.compile(sources).into(folder.jar("made", "made.jar"));
    assertEquals(List.of("good", "made"), PluginFolder.storage(folder.load()));
  }

  @Test
  void aRequiredPluginThatIsNotThereStopsTheStart() {
    RametException e =
        assertThrows(
            RametException.class,
            () ->
                Plugins.load(
                    new PluginPolicy(folder.plugins(), Set.of("lost"), Set.of(), List.of())));
    assertTrue(
        String.valueOf(e.getMessage()).contains("there is no folder"),
        String.valueOf(e.getMessage()));
    assertNotNull(e.remedy());
  }

  @Test
  void theOperatorsPreferenceGoesFirst() {
    folder.compile(PluginMaker.storage("com.zz", "zz")).into(folder.jar("zz", "zz.jar"));
    assertEquals(List.of("good", "zz"), PluginFolder.storage(folder.load()));
    assertEquals(
        List.of("zz", "good"),
        PluginFolder.storage(
            Plugins.load(new PluginPolicy(folder.plugins(), Set.of(), Set.of(), List.of("zz")))));
  }

  @Test
  void whatAPluginThrowsNamesIt() {
    var good = folder.load().providers(PluginKind.STORAGE).get(0);
    RametException e =
        assertThrows(
            RametException.class,
            () -> good.open(new dev.ramet.spi.ProbeContext(folder.plugins())).close());
    assertEquals(ErrorCode.INTERNAL, e.code());
    assertTrue(
        String.valueOf(e.getMessage())
            .contains("storage plugin good (plugins/good: good.jar, module com.good)"),
        String.valueOf(e.getMessage()));
  }

  @Test
  void saysWhatHoldsForNativeCode() {
    String without =
        ((GuardedProvider<?>) folder.load().providers(PluginKind.STORAGE).get(0))
            .origin()
            .nativeAccess();
    Plugins granting =
        Plugins.load(new PluginPolicy(folder.plugins(), Set.of(), Set.of("good"), List.of()));
    String with =
        ((GuardedProvider<?>) granting.providers(PluginKind.STORAGE).get(0))
            .origin()
            .nativeAccess();
    if (Runtime.version().feature() < 22) {
      assertEquals("not restricted by Java " + Runtime.version().feature(), without);
      assertEquals(without, with);
    } else {
      assertEquals("not granted", without);
      assertEquals("granted", with);
    }
  }
}
