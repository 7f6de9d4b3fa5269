// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.errors.RametException;

/** One child of a fork: made, or not. */
public sealed interface ForkResult {
  /** The child runs. */
  record Made(Sandbox sandbox) implements ForkResult {}

  /** The child could not be made; nothing of it is left. */
  record NotMade(RametException error) implements ForkResult {}
}
