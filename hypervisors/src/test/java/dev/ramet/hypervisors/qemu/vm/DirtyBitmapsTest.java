// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import static dev.ramet.hypervisors.qemu.vm.DiskBench.G;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.K;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.M;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.bitmaps;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.follows;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.io;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.line;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.query;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.range;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.spi.storage.WriteLog.Range;
import dev.ramet.spi.storage.WriteLog.Written;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that writes are reported as they were made. */
class DirtyBitmapsTest {
  @AutoClose private final DiskBench bench;

  DirtyBitmapsTest(@TempDir Path root) throws IOException {
    bench = new DiskBench(root);
  }

  @Test
  void tellsWhatIsWrittenAndThenNoMore() throws Exception {
    QemuVm vm = bench.boot("vm", bench.disk("a", 64 * M, false), bench.disk("b", 10 * G, false));
    io(vm, 0, "write 0 64k");
    Written first = vm.takeWrites(0);
    assertEquals(WriteLog.NO_MARK, first.since());
    assertEquals(List.of(), first.ranges());
    Written firstOfOther = vm.takeWrites(1);
    assertEquals(WriteLog.NO_MARK, firstOfOther.since());
    assertNotEquals(first.until(), firstOfOther.until());
    Written none = vm.takeWrites(0);
    follows(first, none);
    io(vm, 0, "write 8k 4k");
    io(vm, 0, "write 12k 4k");
    io(vm, 0, "write 102400 512");
    io(vm, 0, "write -z 1M 128k");
    io(vm, 0, "discard 2M 64k");
    io(vm, 0, "write -z -u 3M 64k");
    io(vm, 0, "write 67104768 4k");
    io(vm, 1, "write 9G 4k");
    io(vm, 1, "write 4294963200 8k");
    Written some = vm.takeWrites(0);
    follows(
        none,
        some,
        range(8 * K, 8 * K),
        range(100 * K, 4 * K),
        range(M, 128 * K),
        range(2 * M, 64 * K),
        range(3 * M, 64 * K),
        range(64 * M - 4 * K, 4 * K));
    try (PausedVm paused = vm.pause()) {
      follows(some, vm.takeWrites(0));
      follows(firstOfOther, vm.takeWrites(1), range(4 * G - 4 * K, 8 * K), range(9 * G, 4 * K));
      assertEquals(vm.pid(), paused.pid());
    }
    Bench.awaitCounting(vm);
  }

  @Test
  void onlyTheCurrentBitmapStays() throws Exception {
    QemuVm vm = bench.boot("vm", bench.disk("a", 64 * M, false));
    Written last = vm.takeWrites(0);
    for (int i = 0; i < 100; i++) {
      io(vm, 0, "write " + i * 64L + "k 4k");
      Written next = vm.takeWrites(0);
      follows(last, next, range(i * (64 * K), 4 * K));
      last = next;
    }
    assertEquals(Set.of("ramet" + last.until()), bitmaps(vm));
    assertEquals(0, query(vm, "query-block-exports").size());
  }

  @Test
  void anEmptyBitmapStays() throws Exception {
    QemuVm vm = bench.boot("vm", bench.disk("a", 64 * M, false));
    Written last = vm.takeWrites(0);
    Set<String> made = bitmaps(vm);
    for (int i = 0; i < 3; i++) {
      Written next = vm.takeWrites(0);
      follows(last, next);
      last = next;
    }
    assertEquals(made, bitmaps(vm));
    io(vm, 0, "write 8k 4k");
    follows(last, vm.takeWrites(0), range(8 * K, 4 * K));
    assertEquals(1, bitmaps(vm).size());
    assertNotEquals(made, bitmaps(vm));
  }

  @Test
  void aDiskThatThereIsNotAndOneThatIsNeverWritten() throws Exception {
    QemuVm vm = bench.boot("vm", bench.disk("a", 64 * M, true));
    for (int none : new int[] {-1, 1, Integer.MAX_VALUE}) {
      RametException e = assertThrows(RametException.class, () -> vm.takeWrites(none));
      assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    }
    Written first = vm.takeWrites(0);
    assertEquals(WriteLog.NO_MARK, first.since());
    follows(first, vm.takeWrites(0));
  }

  @Test
  void sizesAreNoMatter() throws Exception {
    QemuVm vm =
        bench.boot(
            "vm",
            bench.disk("tiny", 512, false),
            bench.disk("odd", 5 * M + 512, false),
            bench.disk("vast", 70 * G, false));
    Written[] first = {vm.takeWrites(0), vm.takeWrites(1), vm.takeWrites(2)};
    io(vm, 0, "write 0 512");
    io(vm, 1, "write 5242880 512");
    io(vm, 2, "write 69G 4k");
    follows(first[0], vm.takeWrites(0), range(0, 512));
    follows(first[1], vm.takeWrites(1), range(5 * M, 512));
    follows(first[2], vm.takeWrites(2), range(69 * G, 32 * K));
  }

  @Test
  void granularitiesKeepBitmapsSmall() {
    assertEquals(4 * K, DirtyBitmaps.granularity(0));
    assertEquals(4 * K, DirtyBitmaps.granularity(16 * G));
    assertEquals(8 * K, DirtyBitmaps.granularity(16 * G + 4 * K));
    assertEquals(512 * K, DirtyBitmaps.granularity(1024 * G * 2));
  }

  /**
   * Limited because each write takes the monitor a millisecond. QEMU splits its reply only from
   * about 64 Ki on.
   */
  private static final long SCATTERED = 4 * K;

  @Test
  void scatteredWritesAreAllTold() throws Exception {
    QemuVm vm = bench.boot("vm", bench.disk("a", 2 * G, false));
    // A running guest would use a processor all the while.
    PausedVm paused = vm.pause();
    Written first = vm.takeWrites(0);
    List<Range> expected = new ArrayList<>();
    ArrayDeque<Qmp.PendingReply> underWay = new ArrayDeque<>();
    Deadline deadline = Deadline.after(Duration.ofMinutes(3));
    for (int i = 0; i <= SCATTERED; i++) {
      expected.add(range(i * (16 * K), 4 * K));
      ObjectNode line = line(0, "write -z " + i * 16L + "k 4k");
      underWay.add(vm.machine().send("human-monitor-command", line, deadline));
      if (underWay.size() > 4) {
        assertEquals("", underWay.remove().await(deadline).asText());
      }
    }
    while (!underWay.isEmpty()) {
      assertEquals("", underWay.remove().await(deadline).asText());
    }
    follows(first, vm.takeWrites(0), expected.toArray(new Range[0]));
    paused.kill();
  }
}
