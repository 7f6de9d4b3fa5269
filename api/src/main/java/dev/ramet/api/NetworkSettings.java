// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses a sandbox reaches that may open connections: every one that its host lets guests
 * reach, but what is denied, but what is allowed. Entries are addresses and networks, such as
 * {@code 192.0.2.7}, {@code 10.0.0.0/8} or {@code 2001:db8::/32}; 256 of a kind at most. Immutable
 * and thread-safe as far as its lists are.
 *
 * @param allowOut what it reaches although it is denied, or null for nothing
 * @param denyOut what it does not reach, or null for nothing; {@code 0.0.0.0/0} is everything, of
 *     IPv6 too
 */
public record NetworkSettings(
    @Nullable List<@Nullable String> allowOut, @Nullable List<@Nullable String> denyOut) {}
