// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import org.jspecify.annotations.Nullable;

/**
 * The plugin selected for one role.
 *
 * @param role the role, for example {@code storage}
 * @param where the path it was selected for, or empty
 * @param chosen the plugin's id, or null when no plugin can do it
 * @param reason why it was selected
 */
public record Selection(String role, String where, @Nullable String chosen, String reason) {}
