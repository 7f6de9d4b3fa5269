// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the result of the probe of {@code soft-dirty} does not depend on what else its process
 * does.
 */
@EnabledIf("asked")
@Timeout(900)
class SoftDirtyProbeTest {
  private static final int PROBES = 300;
  private static final int MAPPINGS = 200;

  static boolean asked() {
    return SoftDirtyTckTest.asked();
  }

  /** Maps pages next to each other, so that the kernel makes one mapping of many. */
  private static void map(AtomicBoolean over) throws Exception {
    Deque<NativeBuffer> mapped = new ArrayDeque<>();
    while (!over.get()) {
      mapped.add(NativeBuffer.allocate(NativeBuffer.PAGE_BYTES));
      if (mapped.size() > MAPPINGS) {
        mapped.remove().close();
      }
    }
    mapped.forEach(NativeBuffer::close);
  }

  @Test
  void otherThreadsMapMemoryAndProbeAtTheSameTime(@TempDir Path directory) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Future<?> mapping =
          threads.submit(
              () -> {
                map(over);
                return null;
              });
      Callable<List<ProbeResult>> probing =
          () -> {
            List<ProbeResult> found = new ArrayList<>();
            for (int i = 0; i < PROBES; i++) {
              found.add(new SoftDirtyProvider().probe(new ProbeContext(directory)));
            }
            return found;
          };
      for (Future<List<ProbeResult>> prober : threads.invokeAll(List.of(probing, probing))) {
        for (ProbeResult found : prober.get()) {
          assertInstanceOf(ProbeResult.Usable.class, found, found::toString);
        }
      }
      over.set(true);
      mapping.get();
    } finally {
      over.set(true);
      threads.shutdown();
    }
  }
}
