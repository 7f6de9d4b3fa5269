// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

/** Told what a long operation is doing. Implementations are thread-safe and quick. */
@FunctionalInterface
public interface Progress {
  /** Nobody listens. */
  Progress NONE = step -> {};

  /**
   * A step begins.
   *
   * @throws dev.ramet.errors.RametException {@code CANCELLED} when the operation is not wanted any
   *     more
   */
  void step(String description);

  /**
   * Asked several times a second while nothing is to be told but the operation can be ended.
   *
   * @throws dev.ramet.errors.RametException {@code CANCELLED} when it is not wanted any more
   */
  default void checkWanted() {}
}
