// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import org.jspecify.annotations.Nullable;

/** A plugin cannot be taken. Checked, so that whoever loads one has to go on with the others. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Refusal refusal;

  RefusedException(Refusal refusal, @Nullable Throwable cause) {
    super(refusal.sentence(), cause);
    this.refusal = refusal;
  }

  Refusal refusal() {
    return refusal;
  }
}
