// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import java.util.List;

/**
 * An operation whose calls into plugins are broken one at a time.
 *
 * @param prepare runs before it, unbroken
 * @param run the operation
 * @param takeBack runs after it when it has succeeded, unbroken
 * @param repeat runs after it when it has failed, unbroken, and must succeed
 * @param tidyAtOnce whether no file may be left right away; otherwise the next start deletes them
 * @param concerned prefixes of the names of the calls to break; empty for all
 */
record FaultyOperation(
    Runnable prepare,
    Runnable run,
    Runnable takeBack,
    Runnable repeat,
    boolean tidyAtOnce,
    List<String> concerned) {
  static FaultyOperation of(Runnable run) {
    return new FaultyOperation(() -> {}, run, () -> {}, () -> {}, true, List.of());
  }

  FaultyOperation preparedBy(Runnable before) {
    return new FaultyOperation(before, run, takeBack, repeat, tidyAtOnce, concerned);
  }

  FaultyOperation takenBackBy(Runnable after) {
    return new FaultyOperation(prepare, run, after, repeat, tidyAtOnce, concerned);
  }

  FaultyOperation repeatedIfItFails() {
    return new FaultyOperation(prepare, run, takeBack, run, tidyAtOnce, concerned);
  }

  FaultyOperation tidyLater() {
    return new FaultyOperation(prepare, run, takeBack, repeat, false, concerned);
  }

  FaultyOperation only(String... calls) {
    return new FaultyOperation(prepare, run, takeBack, repeat, tidyAtOnce, List.of(calls));
  }

  boolean concerns(String call) {
    return concerned.isEmpty() || concerned.stream().anyMatch(call::startsWith);
  }
}
