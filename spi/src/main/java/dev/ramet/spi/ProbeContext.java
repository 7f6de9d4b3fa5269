// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi;

import dev.ramet.spi.settings.Settings;
import java.nio.file.Path;

/**
 * The place and the settings a plugin works with.
 *
 * @param root an existing directory for the plugin's use: the data root for a storage backend, a
 *     scratch directory for other plugins
 * @param settings the values of {@link Provider#settings()}, and for a hypervisor also {@link
 *     dev.ramet.spi.hypervisor.HypervisorProvider#ACCELERATOR}
 */
public record ProbeContext(Path root, Settings settings) {
  /** Creates a context without settings. */
  public ProbeContext(Path root) {
    this(root, Settings.NONE);
  }
}
