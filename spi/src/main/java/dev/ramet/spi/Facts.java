// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi;

import java.util.SortedSet;

/**
 * The facts that a plugin states about itself. Each kind of plugin has its own type of facts. The
 * host ranks plugins by these alone, so they must be true: the kit checks them in both directions.
 * Immutable.
 */
public interface Facts {
  /**
   * Returns the names of all abilities beyond the minimum of the contract, for people to read.
   * Nothing is decided by them.
   */
  SortedSet<String> names();
}
