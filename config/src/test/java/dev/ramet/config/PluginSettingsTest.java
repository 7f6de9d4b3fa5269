// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingGroup;
import dev.ramet.spi.settings.SettingTypes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that what plugins declare is checked and shown like the host's own settings. */
class PluginSettingsTest {
  private static final String ACME = SettingCatalog.PLUGIN + "acme.";
  private static final Setting<Integer> SIZE =
      Setting.number("size-limit", 1, 9, "How much.").byDefault(3).below(ACME);
  private static final Setting<String> SEAL =
      Setting.of("seal", SettingTypes.TEXT, "A secret.").hidden().below(ACME);
  private static final SettingCatalog CATALOG =
      new SettingCatalog(
          List.of(
              SettingGroup.of("host", Setting.toggle("ramet.shared", false, "For all.")),
              SettingGroup.of("plugins of third parties", SIZE, SEAL)),
          Set.of("acme", "plain"));

  private static Configuration load(Map<String, String> environment, Map<String, String> flags) {
    return Configuration.load(
        CATALOG,
        new ConfigurationSources(null, environment, Map.of(), flags),
        Configuration.Checks.NONE);
  }

  private static List<String> problems(Configuration configuration) {
    return configuration.problems().stream().map(Problem::toString).toList();
  }

  @Test
  void showsDefaultsAndSources() {
    Configuration none = load(Map.of(), Map.of());
    assertEquals("3", none.text(SIZE.key()));
    assertEquals(3, none.settings().get(SIZE));
    Configuration set = load(Map.of("RAMET_PLUGIN_ACME_SIZE_LIMIT", "4"), Map.of());
    assertEquals(List.of(), set.problems());
    assertEquals(4, set.settings().get(SIZE));
    Value shown =
        set.values().stream().filter(one -> one.key().equals(SIZE.key())).findAny().orElseThrow();
    assertEquals("4", shown.text());
    assertEquals("RAMET_PLUGIN_ACME_SIZE_LIMIT", shown.origin().name());
  }

  @Test
  void refusesWhatIsNotDeclaredOrNotAllowed() {
    Configuration wrong =
        load(
            Map.of("RAMET_PLUGIN_ACME_SIZE", "1", "RAMET_PLUGIN_PLAIN_X", "1"),
            new TreeMap<>(
                Map.of(
                    ACME + "size-limit",
                    "10",
                    ACME + "size-limt",
                    "1",
                    ACME + "shared",
                    "true",
                    "ramet.plugin.plain.x",
                    "1",
                    "ramet.plugin.absent.x",
                    "1")));
    assertEquals(
        List.of(
            "option for ramet.plugin.acme.shared: is set by ramet.shared",
            "option for ramet.plugin.acme.size-limit: must be a whole number from 1 to 9, not 10",
            "option for ramet.plugin.acme.size-limt: no such setting; did you mean"
                + " ramet.plugin.acme.size-limit",
            "option for ramet.plugin.plain.x: no such setting"),
        problems(wrong));
    assertEquals(
        List.of(
            "environment variable RAMET_PLUGIN_ACME_SIZE: no such setting, ignored",
            "environment variable RAMET_PLUGIN_PLAIN_X: no such setting, ignored"),
        wrong.warnings().stream().map(Problem::toString).toList());
  }

  @Test
  void neverShowsSecrets() {
    Configuration held =
        load(
            Map.of("RAMET_PLUGIN_ABSENT_SIZE", "hunter2"),
            Map.of(SEAL.key(), "hunter2", "ramet.plugin.absent.size", "hunter2"));
    assertEquals(List.of(), held.problems());
    assertEquals("hunter2", held.settings().get(SEAL));
    assertFalse(held.values().toString().contains("hunter2"));
    assertFalse(held.settings().toString().contains("hunter2"));
  }
}
