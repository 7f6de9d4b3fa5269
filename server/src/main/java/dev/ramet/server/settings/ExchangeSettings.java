// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import java.util.List;

/**
 * The settings for host files that requests may name, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} describes them. Immutable and thread-safe.
 *
 * @param exchangeDirectories the directories they must be in, or null for none
 */
@ConfigurationProperties("ramet")
public record ExchangeSettings(@Nullable List<String> exchangeDirectories) {}
