// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

/**
 * A value that was set somewhere, before anybody looked at it. Immutable and thread-safe.
 *
 * @param key the setting's name as it was written
 * @param value the text
 * @param origin where
 */
record RawValue(String key, String value, ValueSource origin) {}
