// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import java.nio.file.Path;
import java.util.List;

/**
 * What an operator can set of TLS, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} says more about each and has the defaults. Immutable and
 * thread-safe.
 *
 * @param tls whether the host speaks it
 * @param tlsCertificate the file of certificates, or null for one that the host makes
 * @param tlsKey the file of the key, or null as well
 * @param tlsNames more names and addresses for the one that the host makes, or null for none
 */
@ConfigurationProperties("ramet")
public record TlsSettings(
    Mode tls,
    @Nullable Path tlsCertificate,
    @Nullable Path tlsKey,
    @Nullable List<String> tlsNames) {
  /** Whether the host speaks TLS. */
  public enum Mode {
    /** It speaks HTTP/1.1 as it is. */
    OFF,
    /** It speaks nothing else: HTTP/1.1 and HTTP/2 in it. */
    ON
  }
}
