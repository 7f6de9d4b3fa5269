// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

/** A wrapper of an object that a plugin opened, see {@link Guard}. */
interface Guarded {
  /** Returns the plugin's own object. */
  Object delegate();

  /** Returns the guard that names the plugin. */
  Guard guard();
}
