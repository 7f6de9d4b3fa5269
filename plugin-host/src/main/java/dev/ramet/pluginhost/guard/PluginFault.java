// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import org.jspecify.annotations.Nullable;

/** Cause of an error that is a plugin's fault. It is unknown what state the call left behind. */
final class PluginFault extends Exception {
  private static final long serialVersionUID = 1L;

  PluginFault(@Nullable Throwable thrown) {
    super("a plugin broke its contract", thrown);
  }
}
