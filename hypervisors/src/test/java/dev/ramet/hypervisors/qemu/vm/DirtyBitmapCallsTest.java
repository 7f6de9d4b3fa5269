// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import static dev.ramet.hypervisors.qemu.vm.DiskBench.M;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.io;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.storage.WriteLog.Written;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests concurrent calls that take the written ranges. */
class DirtyBitmapCallsTest {
  @AutoClose private final DiskBench bench;

  DirtyBitmapCallsTest(@TempDir Path root) throws IOException {
    bench = new DiskBench(root);
  }

  @Test
  void callsAtOnceFollowOneAnother() throws Exception {
    QemuVm vm = bench.boot("vm", bench.disk("a", 64 * M, false));
    Written first = vm.takeWrites(0);
    List<Callable<List<Written>>> takers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      takers.add(
          () -> {
            List<Written> mine = new ArrayList<>();
            for (int n = 0; n < 25; n++) {
              mine.add(vm.takeWrites(0));
            }
            return mine;
          });
    }
    List<Written> all = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(takers.size());
    try {
      List<Future<List<Written>>> answers = new ArrayList<>();
      takers.forEach(taker -> answers.add(threads.submit(taker)));
      for (int i = 0; i < 50; i++) {
        io(vm, 0, "write " + i * 64L + "k 4k");
      }
      for (Future<List<Written>> answer : answers) {
        all.addAll(answer.get());
      }
    } finally {
      threads.shutdownNow();
    }
    all.add(vm.takeWrites(0));
    all.sort((a, b) -> Long.compare(a.until(), b.until()));
    long mark = first.until();
    Set<Long> told = new TreeSet<>();
    for (Written written : all) {
      assertTrue(written.isAllSince(mark), "an answer follows the one before");
      mark = written.until();
      written.ranges().forEach(r -> assertTrue(told.add(r.offset()), "told once"));
    }
    assertEquals(50, told.size());
  }
}
