// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import dev.ramet.errors.RametException;

/** The outcome of one child of a fork. */
public sealed interface ForkResult {
  /** The child was created and runs. */
  record Made(Sandbox sandbox) implements ForkResult {}

  /** The child could not be created and was removed completely. */
  record NotMade(RametException error) implements ForkResult {}
}
