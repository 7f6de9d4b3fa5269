// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import dev.ramet.keys.KeyFile;
import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import java.nio.file.Path;

/**
 * The settings of access to the host, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} describes each and has the defaults. Immutable and
 * thread-safe.
 *
 * @param auth whether requests need an API key
 * @param keysFile file of the keys, or null for {@value KeyFile#NAME} in the data root
 * @param rateLimit requests per second and key, 0 for no limit, or null for the default
 * @param auditLog the file of the audit log, or null for the default
 */
@ConfigurationProperties("ramet")
public record AccessSettings(
    Auth auth, @Nullable Path keysFile, @Nullable Integer rateLimit, @Nullable Path auditLog) {
  /** Whether requests need an API key. */
  public enum Auth {
    /** Always, like {@link #ON}. */
    AUTO,
    /** Always. */
    ON,
    /** Never; then the host listens on loopback addresses only. */
    OFF
  }
}
