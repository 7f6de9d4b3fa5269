// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.support;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs threads that start together, and reports their failures. */
public final class Threads {
  private Threads() {}

  /** The work of one thread. */
  public interface Job {
    void run(int thread) throws Exception;
  }

  public static void run(int threads, Job job) throws Exception {
    CyclicBarrier start = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Object>> jobs = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        jobs.add(
            () -> {
              start.await();
              job.run(thread);
              return thread;
            });
      }
      for (Future<Object> done : pool.invokeAll(jobs)) {
        done.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }
}
