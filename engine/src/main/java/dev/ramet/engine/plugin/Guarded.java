// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

/** What stands around an object that a plugin opened, see {@link Guard}. */
interface Guarded {
  /** The plugin's own object. */
  Object plugged();

  /** Names the plugin. */
  Guard guard();
}
