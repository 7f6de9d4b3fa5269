// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.disk;

/**
 * Receives every change to the disk before it is made, on the thread that makes it. Tests of crash
 * safety stop a backend at one of them; a running host uses {@link #NONE}.
 */
@FunctionalInterface
public interface Steps {
  /** Pays no attention. */
  Steps NONE = step -> {};

  /**
   * Called before a change is made.
   *
   * @param step the kind of change, for people to read
   */
  void before(String step);
}
