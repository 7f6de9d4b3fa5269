// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.pluginhost.Selection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Puts a third party's storage backend, memory mode and hypervisor into a folder of jars, and
 * checks that a capture uses each of them without being told to, and that the doctor says the same.
 */
final class ThirdPartyPluginsTest {
  private static final long POOL_BYTES = 3L << 30;
  private static final Map<String, String> THEIRS =
      Map.of(
          "storage", FaultyPlugin.STORAGE,
          "memory", FaultyPlugin.MEMORY,
          "hypervisor", FaultyPlugin.HYPERVISOR);

  @TempDir private Path work;

  @Test
  void theOperatorsPreferenceIsUsed() throws Exception {
    usesTheirs(List.of(FaultyPlugin.STORAGE, FaultyPlugin.MEMORY, FaultyPlugin.HYPERVISOR));
  }

  @Test
  void betterFactsAreUsed() throws Exception {
    FaultyPlugin.claimBetter(true);
    try {
      usesTheirs(List.of());
    } finally {
      FaultyPlugin.claimBetter(false);
    }
  }

  private void usesTheirs(List<String> preferred) throws Exception {
    Path plugins = Files.createDirectory(work.resolve("plugins"));
    FaultyPlugin.installIn(plugins, work);
    try (Ground ground =
        Ground.boot(
            Files.createTempDirectory("ramet-it-"),
            POOL_BYTES,
            config -> FaultyPlugin.loaded(config, plugins, preferred))) {
      Map<String, String> selected = new TreeMap<>();
      for (Selection one : ground.engine().doctor().report(false).selections()) {
        selected.put(one.role(), String.valueOf(one.chosen()));
      }
      assertEquals(new TreeMap<>(THEIRS), selected);
      Sandbox sandbox = ground.create();
      Snapshot snapshot = ground.engine().snapshots().create(sandbox.id(), "theirs");
      CaptureReport report = snapshot.capture();
      assertNotNull(report);
      assertEquals(FaultyPlugin.MEMORY, report.mode(), report.modeReason());
      JsonNode manifest =
          new ObjectMapper()
              .readTree(
                  ground
                      .root()
                      .resolve("snapshots")
                      .resolve(snapshot.id())
                      .resolve("manifest.json")
                      .toFile());
      assertEquals(FaultyPlugin.MEMORY, manifest.at("/capture/mode").asText());
      assertEquals(FaultyPlugin.HYPERVISOR, manifest.findValue("hypervisor").asText());
      assertEquals(
          FaultyPlugin.STORAGE,
          ground.engine().doctor().report(false).host().get("storage.backend"));
    }
  }
}
