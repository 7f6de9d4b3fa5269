// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.errors.RametException;
import java.util.AbstractList;
import java.util.List;

/**
 * Sandboxes that were made together, in a list that cannot be changed. Closing kills them all.
 * Thread-safe.
 */
public final class Sandboxes extends AbstractList<Sandbox> implements AutoCloseable {
  private final List<Sandbox> made;
  private final List<RametException> failures;

  Sandboxes(List<Sandbox> made, List<RametException> failures) {
    this.made = List.copyOf(made);
    this.failures = List.copyOf(failures);
  }

  /** Why a fork did not make those that are missing; empty for a clone, which makes all or none. */
  public List<RametException> failures() {
    return failures;
  }

  @Override
  public Sandbox get(int index) {
    return made.get(index);
  }

  @Override
  public int size() {
    return made.size();
  }

  /**
   * Kills all of them; those that are gone already count as killed.
   *
   * @throws RametException the first error, after all were tried; the others are suppressed in it
   */
  @Override
  public void close() {
    RametException first = null;
    for (Sandbox sandbox : made) {
      try {
        sandbox.kill();
      } catch (RametException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
