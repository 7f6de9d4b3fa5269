// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.support.Undo;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The threads of an engine.
 *
 * @param timer fires when something is due; never does the work itself
 * @param workers do work that no caller waits for
 */
record EngineThreads(ScheduledExecutorService timer, ExecutorService workers) {
  private static final System.Logger LOG = System.getLogger(EngineThreads.class.getName());
  private static final int TIMEOUT_SECONDS = 10;

  /** Creates the threads, to be stopped when the engine closes. */
  static EngineThreads start(Undo close) {
    EngineThreads threads =
        new EngineThreads(
            Executors.newSingleThreadScheduledExecutor(daemon("ends")),
            Executors.newCachedThreadPool(daemon("worker")));
    close.add("timers", threads::stop);
    return threads;
  }

  private static ThreadFactory daemon(String name) {
    return work -> {
      Thread thread = new Thread(work, "ramet-" + name);
      thread.setDaemon(true);
      return thread;
    };
  }

  private void stop() {
    timer.shutdownNow();
    workers.shutdown();
    try {
      if (!workers.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        LOG.log(System.Logger.Level.WARNING, "a sandbox was still being ended");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
