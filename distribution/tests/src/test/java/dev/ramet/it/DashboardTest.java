// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the installed dashboard uses exactly the metrics that an installed host reports. */
final class DashboardTest {
  private static final Path DASHBOARD =
      Path.of(System.getProperty("ramet.guest")).resolve("../grafana/ramet.json").normalize();

  @TempDir Path data;

  @Test
  void itNamesEveryMetricOfAHostAndNoOther() throws Exception {
    JsonNode dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
    SortedSet<String> named = new TreeSet<>();
    for (JsonNode panel : dashboard.path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        Pattern.compile("ramet_[a-z_]+")
            .matcher(target.path("expr").asText())
            .results()
            .forEach(found -> named.add(found.group().replaceAll("_(bucket|count)$", "")));
      }
    }
    try (Installed host = Installed.serve(data, Map.of("RAMET_STORAGE_PROVISION", "OFF"))) {
      Set<String> told;
      try (InputStream in = host.open("/metrics")) {
        told =
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.substring(7, line.indexOf(' ', 7)))
                .collect(Collectors.toCollection(TreeSet::new));
      }
      assertEquals(told, named);
      for (String path : Set.of("/openapi.json", "/docs", "/docs/swagger-ui-bundle.js", "/ready")) {
        try (InputStream in = host.open(path)) {
          assertTrue(in.read() >= 0, path);
        }
      }
    }
    assertEquals("ramet-host", dashboard.path("uid").asText());
  }
}
