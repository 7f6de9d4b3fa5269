// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import java.nio.file.Path;
import java.util.List;

/**
 * The settings of TLS, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} describes each and has the defaults. Immutable and
 * thread-safe.
 *
 * @param tls whether the host speaks TLS
 * @param tlsCertificate the file of certificates, or null for a self-issued one
 * @param tlsKey the file of the key, or null for a self-issued certificate
 * @param tlsNames further names and addresses for the self-issued certificate, or null for none
 */
@ConfigurationProperties("ramet")
public record TlsSettings(
    Mode tls,
    @Nullable Path tlsCertificate,
    @Nullable Path tlsKey,
    @Nullable List<String> tlsNames) {
  /** Whether the host speaks TLS. */
  public enum Mode {
    /** HTTP/1.1 without TLS. */
    OFF,
    /** TLS only, with HTTP/1.1 and HTTP/2. */
    ON
  }
}
