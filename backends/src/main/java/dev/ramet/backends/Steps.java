// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

/**
 * Is told of every change to the disk before it is made, by the thread that makes it. Tests of
 * crash safety stop a backend dead at one of them; a running host tells {@link #NONE}.
 */
@FunctionalInterface
public interface Steps {
  /** Pays no attention. */
  Steps NONE = step -> {};

  /**
   * A change is about to be made.
   *
   * @param step what kind of change, for people to read
   */
  void before(String step);
}
