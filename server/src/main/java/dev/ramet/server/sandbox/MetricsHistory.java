// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.engine.sandboxes.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The recent load samples of guests, of the sandboxes that were sampled last. Thread-safe. */
final class MetricsHistory {
  static final int MAX_ANSWERS = 720;
  static final int MAX_SANDBOXES = 1000;

  /** Sampling costs the guest a little, and more frequent samples are not useful. */
  private static final Duration STEP = Duration.ofSeconds(1);

  private final Map<String, Deque<Metrics>> bySandbox =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Deque<Metrics>> eldest) {
          return size() > MAX_SANDBOXES;
        }
      };

  synchronized boolean isDue(String sandbox, Instant now) {
    Deque<Metrics> answers = bySandbox.get(sandbox);
    return answers == null || !answers.getLast().at().plus(STEP).isAfter(now);
  }

  synchronized void add(String sandbox, Metrics answer) {
    Deque<Metrics> answers = bySandbox.computeIfAbsent(sandbox, id -> new ArrayDeque<>());
    answers.addLast(answer);
    if (answers.size() > MAX_ANSWERS) {
      answers.removeFirst();
    }
  }

  synchronized List<Metrics> samplesOf(String sandbox) {
    Deque<Metrics> answers = bySandbox.get(sandbox);
    return answers == null ? List.of() : List.copyOf(answers);
  }
}
