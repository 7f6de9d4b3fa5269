// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * What an operator can set of uploads, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} says more. Immutable and thread-safe.
 *
 * @param uploadBytes how much room all of them may take
 */
@ConfigurationProperties("ramet")
public record UploadSettings(long uploadBytes) {}
