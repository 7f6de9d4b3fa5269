// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a caller record the ids that a call is about to assign, before anything with those ids
 * exists. If the host is killed during the call, the recorded ids show its outcome: either
 * everything with these ids exists and is complete, or nothing does. Thread-safe.
 */
public final class Intents {
  private static final ThreadLocal<@Nullable Consumer<List<String>>> LISTENER = new ThreadLocal<>();

  private Intents() {}

  /**
   * Makes a call and passes the ids it is about to create to a listener.
   *
   * @param listener receives the ids on the calling thread, at most once for each thing that is
   *     made; if it throws, nothing is made
   * @param call the call
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
   * Reports ids that the engine is about to create to the listener of the current thread, if any.
   *
   * @param ids ids of sandboxes, or of one snapshot or template
   */
  public static void tell(List<String> ids) {
    Consumer<List<String>> listener = LISTENER.get();
    if (listener != null) {
      listener.accept(List.copyOf(ids));
    }
  }
}
