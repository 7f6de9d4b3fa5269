// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import dev.ramet.keys.KeyFile;
import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import java.nio.file.Path;

/**
 * What an operator can set of who may use the host, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} says more about each and has the defaults. Immutable and
 * thread-safe.
 *
 * @param auth whether requests need an API key
 * @param keysFile where the keys are, or null for {@value KeyFile#NAME} in the data root
 * @param rateLimit how many requests a second one key may make, 0 for any number, or null for what
 *     suits
 * @param auditLog the file of the audit log, or null for what suits
 */
@ConfigurationProperties("ramet")
public record AccessSettings(
    Auth auth, @Nullable Path keysFile, @Nullable Integer rateLimit, @Nullable Path auditLog) {
  /** Whether requests need an API key. */
  public enum Auth {
    /** Always; the same as {@link #ON}. */
    AUTO,
    /** Always. */
    ON,
    /** Never; then only loopback addresses are listened on. */
    OFF
  }
}
