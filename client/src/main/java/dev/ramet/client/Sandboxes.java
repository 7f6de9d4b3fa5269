// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.errors.RametException;
import java.util.AbstractList;
import java.util.List;

/**
 * Sandboxes that were created together, as an unmodifiable list. Closing kills them all.
 * Thread-safe.
 */
public final class Sandboxes extends AbstractList<Sandbox> implements AutoCloseable {
  private final List<Sandbox> made;
  private final List<RametException> failures;

  Sandboxes(List<Sandbox> made, List<RametException> failures) {
    this.made = List.copyOf(made);
    this.failures = List.copyOf(failures);
  }

  /**
   * Returns why a fork could not create the missing sandboxes; empty for a clone, which creates all
   * or none.
   */
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
   * Kills all of them; sandboxes that no longer exist count as killed.
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
