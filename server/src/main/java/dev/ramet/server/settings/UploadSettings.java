// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * The settings of uploads, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} describes them. Immutable and thread-safe.
 *
 * @param uploadBytes maximum size of all uploads together
 */
@ConfigurationProperties("ramet")
public record UploadSettings(long uploadBytes) {}
