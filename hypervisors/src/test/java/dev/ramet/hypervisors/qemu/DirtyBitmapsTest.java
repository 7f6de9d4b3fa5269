// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.spi.storage.WriteLog.Range;
import dev.ramet.spi.storage.WriteLog.Written;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes are told as they were made. Here QEMU itself makes them, by its monitor. */
class DirtyBitmapsTest {
  private static final long K = 1024;
  private static final long M = 1024 * K;
  private static final long G = 1024 * M;

  /**
   * Each takes the monitor a millisecond: too few for QEMU to cut its reply, which 64 Ki are not.
   */
  private static final long SCATTERED = 4 * K;

  private final Path root;
  private final Bench bench;

  DirtyBitmapsTest(@TempDir Path root) throws IOException {
    this.root = root;
    bench = new Bench(root);
  }

  @AfterEach
  void close() {
    bench.close();
  }

  private Attachment disk(String name, long sizeBytes, boolean readOnly) throws IOException {
    Path path = root.resolve(name);
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(sizeBytes);
    }
    return new Attachment(Attachment.Kind.FILE, path, readOnly);
  }

  private VmSpec spec(String name, Attachment... disks) throws IOException {
    VmSpec plain = bench.spec(name);
    return new VmSpec(
        name,
        plain.directory(),
        plain.cpuCount(),
        plain.memoryBytes(),
        plain.kernel(),
        null,
        plain.kernelArguments(),
        List.of(disks),
        plain.network());
  }

  private QemuVm boot(String name, Attachment... disks) throws Exception {
    QemuVm vm = (QemuVm) bench.driver.boot(spec(name, disks), Bench.PATIENCE);
    Bench.awaitBoots(vm, 1);
    return vm;
  }

  /** Makes a request as the guest's disk would. */
  static void io(RunningVm vm, int disk, String command) {
    String answer =
        ((QemuVm) vm)
            .machine()
            .execute("human-monitor-command", line(disk, command), Deadline.after(Bench.PATIENCE))
            .asText();
    assertTrue(answer.isEmpty(), answer);
  }

  private static ObjectNode line(int disk, String command) {
    String device = "/machine/peripheral-anon/device[" + disk + "]/virtio-backend";
    return Qmp.JSON
        .createObjectNode()
        .put("command-line", "qemu-io -d " + device + " \"" + command + "\"");
  }

  private static void follows(Written before, Written now, Range... ranges) {
    assertEquals(before.until(), now.since());
    assertTrue(now.isAllSince(before.until()));
    assertEquals(List.of(ranges), now.ranges());
  }

  private static Range range(long offset, long lengthBytes) {
    return new Range(offset, lengthBytes);
  }

  @Test
  void tellsWhatIsWrittenAndThenNoMore() throws Exception {
    QemuVm vm = boot("vm", disk("a", 64 * M, false), disk("b", 10 * G, false));
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
    QemuVm vm = boot("vm", disk("a", 64 * M, false));
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
    QemuVm vm = boot("vm", disk("a", 64 * M, false));
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

  private static JsonNode query(QemuVm vm, String command) {
    return vm.machine().execute(command, Deadline.after(Bench.PATIENCE));
  }

  private static Set<String> bitmaps(QemuVm vm) {
    Set<String> names = new TreeSet<>();
    for (JsonNode node : query(vm, "query-named-block-nodes")) {
      node.path("dirty-bitmaps").forEach(b -> names.add(b.path("name").asText()));
    }
    return names;
  }

  @Test
  void aDiskThatThereIsNotAndOneThatIsNeverWritten() throws Exception {
    QemuVm vm = boot("vm", disk("a", 64 * M, true));
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
        boot(
            "vm",
            disk("tiny", 512, false),
            disk("odd", 5 * M + 512, false),
            disk("vast", 70 * G, false));
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

  @Test
  void scatteredWritesAreAllTold() throws Exception {
    QemuVm vm = boot("vm", disk("a", 2 * G, false));
    // Its guest would use a processor all the while.
    PausedVm paused = vm.pause();
    Written first = vm.takeWrites(0);
    List<Range> expected = new ArrayList<>();
    ArrayDeque<Qmp.Answer> underWay = new ArrayDeque<>();
    Deadline deadline = Deadline.after(Duration.ofMinutes(3));
    for (int i = 0; i <= SCATTERED; i++) {
      expected.add(range(i * (16 * K), 4 * K));
      ObjectNode line = line(0, "write -z " + i * 16L + "k 4k");
      underWay.add(vm.machine().begin("human-monitor-command", line, deadline));
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

  @Test
  void aMachineIsSavedAndRestoredWhateverIsNoted() throws Exception {
    Attachment disk = disk("a", 64 * M, false);
    QemuVm vm = boot("vm", disk);
    Written first = vm.takeWrites(0);
    Path devices = Files.createDirectory(root.resolve("saved"));
    Path image = root.resolve("memory");
    io(vm, 0, "write 4k 4k");
    Written second;
    try (SavingVm paused = vm.pauseAndSave(devices)) {
      second = vm.takeWrites(0);
      paused.awaitDevices();
      Trial.copy(paused.memory(), image);
      paused.resume();
      paused.finishDevices();
    }
    follows(first, second, range(4 * K, 4 * K));
    SavedVm saved =
        new SavedVm(devices, new Attachment(Attachment.Kind.FILE, image, true), vm.identity());
    io(vm, 0, "write 8k 4k");
    Written third = vm.takeWrites(0);
    follows(second, third, range(8 * K, 4 * K));
    vm.kill(Bench.PATIENCE);
    Path directory = vm.spec().directory();
    assertEquals(Set.of("vmm.log", "console.log", "ram-blocks"), RestoreTest.names(directory));
    QemuVm clone;
    try (PausedVm paused = bench.driver.restore(spec("clone", disk), saved, Bench.PATIENCE)) {
      clone = (QemuVm) paused.resume();
    }
    Bench.awaitCounting(clone);
    Written ofClone = clone.takeWrites(0);
    assertEquals(WriteLog.NO_MARK, ofClone.since());
    io(clone, 0, "write 8k 4k");
    follows(ofClone, clone.takeWrites(0), range(8 * K, 4 * K));
  }

  /** As when a call ends in the middle, and the machine is captured before the next. */
  @Test
  void aSaveWhileABitmapIsExported() throws Exception {
    Attachment disk = disk("a", 64 * M, false);
    QemuVm vm = boot("vm", disk);
    leave(vm, vm.takeWrites(0));
    SavedVm saved = bench.save(vm, "saved");
    assertEquals(1, query(vm, "query-block-exports").size());
    Bench.awaitCounting(vm);
    vm.kill(Bench.PATIENCE);
    try (PausedVm paused = bench.driver.restore(spec("clone", disk), saved, Bench.PATIENCE)) {
      Bench.awaitCounting(paused.resume());
    }
  }

  @Test
  void anotherHostBeginsAnew() throws Exception {
    QemuVm vm = boot("x".repeat(120), disk("a", 64 * M, false), disk("b", 64 * M, false));
    vm.takeWrites(0);
    Written of1 = vm.takeWrites(1);
    io(vm, 0, "write 0 4k");
    Written last = vm.takeWrites(0);
    // As if it had ended in the middle.
    leave(vm, last);
    bench.driver.close();
    try (QemuHypervisor other = new QemuHypervisor(Bench.installation(root))) {
      QemuVm found = (QemuVm) other.reattach(vm.spec(), Bench.PATIENCE).orElseThrow();
      io(found, 0, "write 0 4k");
      Written first = found.takeWrites(0);
      assertEquals(WriteLog.NO_MARK, first.since());
      assertTrue(first.until() > of1.until());
      assertEquals(Set.of("ramet" + first.until()), bitmaps(found));
      assertEquals(0, query(found, "query-block-exports").size());
      io(found, 0, "write 4k 4k");
      follows(first, found.takeWrites(0), range(4 * K, 4 * K));
    }
  }

  /** An export of a bitmap, as a call leaves it that did not get to its end. */
  private static void leave(QemuVm vm, Written last) {
    ObjectNode bitmap = Qmp.JSON.createObjectNode();
    bitmap.put("node", "disk0").put("name", "ramet" + last.until());
    ObjectNode export = Qmp.JSON.createObjectNode();
    export.put("type", "nbd").put("id", "left").put("node-name", "disk0");
    export.putArray("bitmaps").add("ramet" + last.until());
    vm.machine().execute("block-dirty-bitmap-disable", bitmap, Deadline.after(Bench.PATIENCE));
    vm.machine().execute("block-export-add", export, Deadline.after(Bench.PATIENCE));
  }

  @Test
  void afterAFailureItBeginsAnewAndOtherDisksGoOn() throws Exception {
    QemuVm vm = boot("vm", disk("a", 64 * M, false), disk("b", 64 * M, false));
    Written of0 = vm.takeWrites(0);
    Written of1 = vm.takeWrites(1);
    leave(vm, of0); // Now it cannot be disabled: it is in use.
    RametException e = assertThrows(RametException.class, () -> vm.takeWrites(0));
    assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
    io(vm, 1, "write 4k 4k");
    Written next = vm.takeWrites(1);
    follows(of1, next, range(4 * K, 4 * K));
    assertEquals(Set.of("ramet" + next.until()), bitmaps(vm));
    Written anew = vm.takeWrites(0);
    assertEquals(WriteLog.NO_MARK, anew.since());
    io(vm, 0, "write 8k 4k");
    follows(anew, vm.takeWrites(0), range(8 * K, 4 * K));
    Bench.awaitCounting(vm);
  }

  @Test
  void aPauseDoesNotLastForAMonitorThatDoesNotAnswer() throws Exception {
    QemuVm vm = boot("vm", disk("a", 64 * M, false));
    vm.takeWrites(0);
    try (PausedVm paused = vm.pause()) {
      signal(vm, "STOP");
      long start = System.nanoTime();
      try {
        RametException e = assertThrows(RametException.class, () -> vm.takeWrites(0));
        assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
      } finally {
        signal(vm, "CONT");
      }
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      assertTrue(taken.compareTo(Duration.ofSeconds(10)) < 0, taken::toString);
      Written anew = vm.takeWrites(0);
      assertEquals(WriteLog.NO_MARK, anew.since());
      follows(anew, vm.takeWrites(0));
      paused.resume();
    }
    Bench.awaitCounting(vm);
  }

  private static void signal(QemuVm vm, String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, "" + vm.pid()).start();
    assertEquals(0, kill.waitFor());
  }

  @Test
  void callsAtOnceFollowOneAnother() throws Exception {
    QemuVm vm = boot("vm", disk("a", 64 * M, false));
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

  @Test
  void theEndOfQemuIsAnErrorAndNothingWaits() throws Exception {
    for (int millis = 0; millis < 4; millis++) {
      QemuVm vm = boot("vm" + millis, disk("a" + millis, 64 * M, false));
      vm.takeWrites(0);
      Thread killer =
          new Thread(() -> ProcessHandle.of(vm.pid()).ifPresent(ProcessHandle::destroyForcibly));
      RametException e =
          assertThrows(
              RametException.class,
              () -> {
                killer.start();
                while (true) {
                  vm.takeWrites(0);
                }
              });
      assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code(), e::getMessage);
      killer.join();
      assertThrows(RametException.class, () -> vm.takeWrites(0));
    }
  }
}
