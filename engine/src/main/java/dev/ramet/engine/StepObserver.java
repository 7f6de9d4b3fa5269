// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

/**
 * Observes each step of an operation before it is taken, for tracing and for tests that make a step
 * fail. Thread-safe.
 */
@FunctionalInterface
public interface StepObserver {
  /** Observes nothing. */
  StepObserver NONE = step -> {};

  /**
   * Called before the operation takes {@code step}, for example {@code snapshot.pause}. An
   * exception from it fails the operation.
   */
  void before(String step);
}
