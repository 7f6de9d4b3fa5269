// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi;

import java.nio.file.Path;
import java.util.Map;

/**
 * The place and the settings a plugin works with.
 *
 * @param root an existing directory for the plugin's use: the data root for a storage backend, a
 *     scratch directory for other plugins
 * @param settings the plugin's own configuration, by key; empty if the operator set nothing
 */
public record ProbeContext(Path root, Map<String, String> settings) {
  /** Copies the settings. */
  public ProbeContext {
    settings = Map.copyOf(settings);
  }

  /** Creates a context without settings. */
  public ProbeContext(Path root) {
    this(root, Map.of());
  }
}
