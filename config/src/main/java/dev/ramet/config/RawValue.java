// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

/**
 * A value as it was set, before any check. Immutable and thread-safe.
 *
 * @param key the setting's name as it was written
 * @param value the text
 * @param origin where it was set
 */
record RawValue(String key, String value, ValueSource origin) {}
