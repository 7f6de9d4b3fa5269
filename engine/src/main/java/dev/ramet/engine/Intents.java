// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whoever makes a call which ids it is about to give, before anything with them exists. With
 * them on record, what became of the call can be found out after the host was killed in the middle
 * of it: all that has these ids is there and whole, or none of it. Thread-safe.
 */
public final class Intents {
  private static final ThreadLocal<@Nullable Consumer<List<String>>> LISTENER = new ThreadLocal<>();

  private Intents() {}

  /**
   * Makes a call.
   *
   * @param listener told the ids on the calling thread, at most once for each thing that is made;
   *     when it throws, nothing is made
   * @param call what to do
   */
  public static <T> T telling(Consumer<List<String>> listener, Supplier<T> call) {
    Consumer<List<String>> before = LISTENER.get();
    LISTENER.set(listener);
    try {
      return call.get();
    } finally {
      if (before == null) {
        LISTENER.remove();
      } else {
        LISTENER.set(before);
      }
    }
  }

  /**
   * For the engine: these are about to be made.
   *
   * @param ids of sandboxes, or of one snapshot or template
   */
  public static void tell(List<String> ids) {
    Consumer<List<String>> listener = LISTENER.get();
    if (listener != null) {
      listener.accept(List.copyOf(ids));
    }
  }
}
