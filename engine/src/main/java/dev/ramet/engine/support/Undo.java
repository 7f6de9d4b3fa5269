// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Collects actions that undo the steps of an operation if it fails, and runs them in reverse order.
 * Used with try-with-resources; {@link #commit} makes {@link #close} do nothing. Used by one
 * thread.
 */
public final class Undo implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Undo.class.getName());

  private record Entry(String what, Runnable action) {}

  private final Deque<Entry> entries = new ArrayDeque<>();

  /** Creates an empty list of actions. */
  public Undo() {}

  /** Adds an action to run if the operation fails. */
  public void add(String what, Runnable action) {
    entries.push(new Entry(what, action));
  }

  /** Drops all actions, because the operation has succeeded. */
  public void commit() {
    entries.clear();
  }

  @Override
  public void close() {
    while (!entries.isEmpty()) {
      Entry entry = entries.pop();
      try {
        entry.action().run();
      } catch (RuntimeException e) {
        // The other actions must still run; the next start finds anything left behind.
        LOG.log(System.Logger.Level.WARNING, "cannot undo: " + entry.what(), e);
      }
    }
  }
}
