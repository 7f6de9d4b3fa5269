// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a plugin is refused. Checked, so that the caller must handle it and continue with the
 * other plugins.
 */
public final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Refusal refusal;

  RefusedException(Refusal refusal, @Nullable Throwable cause) {
    super(refusal.sentence(), cause);
    this.refusal = refusal;
  }

  public Refusal refusal() {
    return refusal;
  }
}
