// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of the server, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} describes each and has the defaults. Immutable and
 * thread-safe.
 *
 * @param bind address to listen on
 * @param port TCP port to listen on; -1 for any free one
 * @param dataRoot directory of all data
 * @param domain clients reach a guest's port at {@code <port>-<sandboxID>.<domain>}; null accepts
 *     {@code localhost} instead and announces no domain
 * @param engineWait how long a request waits for an engine that is still opening
 */
@ConfigurationProperties("ramet")
public record ServerSettings(
    String bind, int port, Path dataRoot, @Nullable String domain, Duration engineWait) {}
