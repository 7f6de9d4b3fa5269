// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

/**
 * Receives the progress of a long operation and can cancel it. Implementations are thread-safe and
 * return quickly.
 */
@FunctionalInterface
public interface Progress {
  /** Ignores all progress. */
  Progress NONE = step -> {};

  /**
   * Reports that a step begins.
   *
   * @throws dev.ramet.errors.RametException {@code CANCELLED} when the operation is no longer
   *     wanted
   */
  void step(String description);

  /**
   * Called several times a second during work that has no progress to report but can be cancelled.
   *
   * @throws dev.ramet.errors.RametException {@code CANCELLED} when the operation is no longer
   *     wanted
   */
  default void checkCancelled() {}
}
