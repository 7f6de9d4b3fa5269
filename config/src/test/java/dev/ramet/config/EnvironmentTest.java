// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingGroup;
import dev.ramet.spi.settings.SettingTypes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that variables of other programs do not keep a host from starting. */
final class EnvironmentTest {
  private static final SettingCatalog CATALOG =
      new SettingCatalog(
          List.of(
              SettingGroup.of(
                  "host",
                  Setting.of("ramet.port", SettingTypes.PORT, "Port.").byDefault(3000),
                  Setting.path("ramet.data-root", "Data."))),
          Set.of());

  private static Configuration load(Map<String, String> environment) {
    return Configuration.load(
        CATALOG,
        new ConfigurationSources(null, environment, Map.of(), Map.of()),
        Configuration.Checks.NONE);
  }

  private static List<String> lines(List<Problem> problems) {
    return problems.stream().map(Problem::toString).toList();
  }

  @Test
  void aVariableThatIsNoSettingIsAWarning() {
    Configuration set = load(Map.of("RAMET_DATAROOT", "/x", "RAMET_COLOUR", "red"));
    assertEquals(List.of(), set.problems());
    assertEquals(
        List.of(
            "environment variable RAMET_COLOUR: no such setting, ignored",
            "environment variable RAMET_DATAROOT: no such setting, ignored; did you mean"
                + " RAMET_DATA_ROOT"),
        lines(set.warnings()));
    assertNull(set.text("ramet.data-root"));
  }

  /** The variables for a service {@code ramet} with two ports, as Kubernetes 1.29 adds them. */
  @Test
  void theVariablesOfAServiceAreKnown() {
    Configuration set =
        load(
            Map.ofEntries(
                Map.entry("RAMET_SERVICE_HOST", "10.96.7.1"),
                Map.entry("RAMET_SERVICE_PORT", "3000"),
                Map.entry("RAMET_SERVICE_PORT_HTTP", "3000"),
                Map.entry("RAMET_PORT", "tcp://10.96.7.1:3000"),
                Map.entry("RAMET_PORT_3000_TCP", "tcp://10.96.7.1:3000"),
                Map.entry("RAMET_PORT_3000_TCP_PROTO", "tcp"),
                Map.entry("RAMET_PORT_3000_TCP_PORT", "3000"),
                Map.entry("RAMET_PORT_3000_TCP_ADDR", "10.96.7.1"),
                Map.entry("RAMET_METRICS_SERVICE_HOST", "10.96.7.2"),
                Map.entry("RAMET_METRICS_PORT", "tcp://10.96.7.2:9100"),
                Map.entry("RAMET_METRICS_PORT_9100_TCP_ADDR", "10.96.7.2")));
    assertEquals(List.of(), set.problems());
    assertEquals(List.of(), set.warnings());
    assertEquals("3000", set.text("ramet.port"));
  }

  @Test
  void aWrongValueOfASettingIsAnError() {
    assertEquals(
        List.of(
            "environment variable RAMET_PORT: ramet.port: must be a port from 1 to 65535, or -1"
                + " for any free one, not http"),
        lines(load(Map.of("RAMET_PORT", "http")).problems()));
  }
}
