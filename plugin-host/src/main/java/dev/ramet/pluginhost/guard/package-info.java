// SPDX-License-Identifier: Apache-2.0
/**
 * Stands between the engine and a plugin: what breaks the contract becomes an error that names the
 * plugin.
 */
@NullMarked
package dev.ramet.pluginhost.guard;

import org.jspecify.annotations.NullMarked;
