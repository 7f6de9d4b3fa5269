// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi;

import java.nio.file.Path;
import java.util.Map;

/**
 * Where and how a plugin is to work.
 *
 * @param root an existing directory that is the plugin's to use: the data root for a storage
 *     backend, a scratch directory for the others
 * @param settings the plugin's own configuration, by key; empty when the operator set nothing
 */
public record ProbeContext(Path root, Map<String, String> settings) {
  /** Copies the settings. */
  public ProbeContext {
    settings = Map.copyOf(settings);
  }

  /** A context without settings. */
  public ProbeContext(Path root) {
    this(root, Map.of());
  }
}
