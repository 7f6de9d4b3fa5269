// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.core.bind.annotation.Bindable;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What an operator can set, under the prefix {@code ramet.}; {@code application.properties} says
 * more about each. Immutable and thread-safe.
 *
 * @param bind address to listen on
 * @param port TCP port to listen on; -1 for any free one
 * @param dataRoot directory of all data
 * @param domain clients reach a guest's port at {@code <port>-<sandboxID>.<domain>}; null accepts
 *     any domain in a request and announces none
 * @param engineWait how long a request waits for an engine that is still opening
 */
@ConfigurationProperties("ramet")
public record ServerSettings(
    @Bindable(defaultValue = "127.0.0.1") String bind,
    @Bindable(defaultValue = "3000") int port,
    @Bindable(defaultValue = "/var/lib/ramet") Path dataRoot,
    @Nullable String domain,
    @Bindable(defaultValue = "30s") Duration engineWait) {}
