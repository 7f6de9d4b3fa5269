// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.settings.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the settings of plugins are found when they are loaded. */
class DeclaredSettingsTest {
  @TempDir private Path directory;
  private PluginFolder folder;

  @BeforeEach
  void make() throws IOException {
    folder = new PluginFolder(directory);
  }

  private void declaring(String settings) {
    folder
        .compile(
            PluginMaker.storage(
                "com.bad",
                "",
                "",
                "\"bad\"; }\n"
                    + "public java.util.List<dev.ramet.spi.settings.Setting<?>> settings() {\n"
                    + "return "
                    + settings))
        .into(folder.bad("bad.jar"));
  }

  private static String path(String key) {
    return "dev.ramet.spi.settings.Setting.path(" + key + ", \"A path.\")";
  }

  @Test
  void findsWhatAProviderDeclares() {
    declaring("java.util.List.of(" + path("\"some.key\"") + ".hidden())");
    Plugins loaded = folder.load();
    assertEquals(List.of(), loaded.refusals());
    List<Plugins.Declared> declared = loaded.declared();
    assertEquals(List.of("bad", "good"), declared.stream().map(Plugins.Declared::id).toList());
    assertTrue(declared.stream().noneMatch(Plugins.Declared::builtIn));
    Setting<?> setting = declared.get(0).settings().get(0);
    assertEquals("some.key", setting.key());
    assertTrue(setting.secret());
    assertEquals(List.of(), declared.get(1).settings());
    assertEquals(
        List.of("some.key"),
        loaded.providers(PluginKind.STORAGE).get(0).settings().stream().map(Setting::key).toList());
  }

  @Test
  void refusesBadDeclarations() {
    declaring("java.util.List.of(" + path("\"Key\"") + ")");
    folder.refusedFor("bad.jar", "com.bad", "com.bad.Entry declares a setting Key");
    declaring("java.util.List.of(" + path("\"key\"") + ", " + path("\"key\"") + ")");
    folder.refusedFor("bad.jar", "com.bad", "com.bad.Entry declares a setting key");
    declaring("null");
    folder.refusedFor("bad.jar", "com.bad", "com.bad.Entry cannot be created");
  }
}
