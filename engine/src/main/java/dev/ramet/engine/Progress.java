// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

/** Told what a long operation is doing. Implementations are thread-safe and quick. */
@FunctionalInterface
public interface Progress {
  /** Nobody listens. */
  Progress NONE = step -> {};

  /** A step begins. */
  void step(String description);
}
