// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.StepObserver;
import dev.ramet.spi.settings.Settings;
import java.nio.file.Path;

/** The configuration of engines in tests: it verifies every capture. */
final class TestConfig {
  private TestConfig() {}

  /**
   * Returns the configuration of an engine.
   *
   * @param poolBytes size of its copy-on-write pool; 0 for none
   */
  static EngineConfig of(Path dataRoot, long poolBytes, StepObserver steps) {
    Path guest = GuestFiles.directory();
    Path cache = Path.of(System.getProperty("ramet.cache"));
    Settings settings =
        Settings.NONE
            .with(EngineConfig.DATA_ROOT, dataRoot)
            .with("ramet.guest-dir", guest.toString())
            .with("ramet.cache-dir", cache.toString())
            .with("ramet.verify-captures", "true")
            .with("ramet.clone-concurrency", "2");
    return new EngineConfig(
        poolBytes == 0
            ? settings.with("ramet.storage-provision", "OFF")
            : settings.with("ramet.storage-pool-size", Long.toString(poolBytes)),
        steps);
  }
}
