// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.engine.machine.AlreadyPausedVm;
import dev.ramet.engine.pages.PageCapture;
import dev.ramet.engine.pages.PageWriter;
import dev.ramet.engine.pages.PagesWritten;
import dev.ramet.engine.pages.StagingPool;
import dev.ramet.engine.tracking.OpenMode;
import dev.ramet.engine.tracking.TrackerSlot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.settings.Settings;
import dev.ramet.spi.storage.Attachment;
import java.io.RandomAccessFile;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how many rounds precede a pause, and what is reported about them. */
final class PreCopierTest {
  private static final int MIB = 1 << 20;
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int MEMORY_BYTES = 16 * MIB;

  /** Size of a chunk of staging memory: the deadline is checked after each one. */
  private static final int CHUNK = 4 * MIB;

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(50);

  private final Path image;
  private final StagingPool pool = new StagingPool(2L * CHUNK);
  private final NativeBuffer memory = NativeBuffer.allocate(MEMORY_BYTES);
  private final GuestMemory located =
      new GuestMemory(ProcessHandle.current().pid(), MEMORY_BYTES, List.of());
  private final List<String> steps = new ArrayList<>();

  PreCopierTest(@TempDir Path directory) throws Exception {
    image = directory.resolve("image");
    byte[] content = new byte[MEMORY_BYTES];
    Arrays.fill(content, (byte) 7);
    memory.view(0, MEMORY_BYTES).put(content);
  }

  @AfterEach
  void allStagingMemoryCameBack() {
    assertEquals(0, pool.usedBytes());
    pool.close();
    memory.close();
  }

  /** Returns written pages at the start of memory. */
  private PageRanges found(long bytes) {
    return new PageRanges.Builder().copy(0, memory.address(), bytes).build();
  }

  private FakeLiveTracker finding(long... bytes) {
    return new FakeLiveTracker(Arrays.stream(bytes).mapToObj(this::found).toList());
  }

  /** Returns a machine that knows the location of its memory and can be paused. */
  private RunningVm machine() {
    Object paused = proxy(PausedVm.class, null);
    return (RunningVm) proxy(RunningVm.class, paused);
  }

  private Object proxy(Class<?> type, @Nullable Object paused) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "memory" -> located;
              case "pause" -> paused;
              default -> null;
            });
  }

  /** Runs all rounds of a capture that leaves nothing for the pause. */
  private static Settings bounds(int rounds, long bytes, Duration time) {
    Settings all = Settings.NONE.with(PreCopier.ROUNDS, rounds).with(PreCopier.TIME, time);
    return bytes == 0 ? all : all.with(PreCopier.BYTES, bytes);
  }

  private PreCopier copy(Settings bounds, MemoryTracker tracker, RunningVm vm) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(0);
      file.setLength(MEMORY_BYTES);
    }
    PreCopier preCopier = new PreCopier(bounds, steps::add);
    Attachment attached = new Attachment.LocalFile(image, false);
    try (TrackerSlot tracking = new TrackerSlot();
        TrackerSlot.Use use =
            tracking.takeForCapture(new OpenMode("fake", MemoryFacts.of(), new Mode(tracker)), vm);
        PageCapture pages = new PageWriter(pool, 2L * CHUNK).open(attached, Baseline.NONE)) {
      preCopier.copy(vm, use, pages);
      pages.readWhilePaused(located.pid(), new PageRanges.Builder().build());
      PagesWritten written = pages.finish();
      assertEquals(written.selectedBytes(), preCopier.bytes(), "what is said to be copied was");
    }
    return preCopier;
  }

  private PreCopier copy(Settings bounds, MemoryTracker tracker) throws Exception {
    return copy(bounds, tracker, machine());
  }

  private record Mode(MemoryTracker tracker) implements MemoryMode {
    @Override
    public MemoryTracker attach(GuestMemory memory) {
      return tracker;
    }

    @Override
    public void close() {}
  }

  /** Asserts that the image holds the first bytes of memory and nothing else. */
  private void assertImageHolds(int bytes) throws Exception {
    byte[] expected = new byte[MEMORY_BYTES];
    Arrays.fill(expected, 0, bytes, (byte) 7);
    assertArrayEquals(expected, Files.readAllBytes(image));
  }

  private static void assertRounds(int rounds, long bytes, PreCopier done) {
    assertEquals(rounds, done.rounds());
    assertEquals(bytes, done.bytes());
  }

  @Test
  void roundsEndWhenOneFindsHardlyAnything() throws Exception {
    FakeLiveTracker tracker = finding(8 * MIB, 2 * MIB, MIB);
    PreCopier done = copy(bounds(5, 0, LONG), tracker);
    assertRounds(2, 10 * MIB, done);
    assertEquals(located, done.located());
    assertEquals(3, tracker.selections());
    assertEquals(2, tracker.copiedRounds());
    assertEquals(3, steps.size(), "each is told before it begins: " + steps);
    assertImageHolds(8 * MIB);

    assertRounds(0, 0, copy(bounds(5, 0, LONG), finding(MIB)));
    assertRounds(1, MIB + PAGE, copy(bounds(5, 0, LONG), finding(MIB + PAGE)));
  }

  @Test
  void roundsEndWhenOneFindsMoreThanHalfOfTheOneBefore() throws Exception {
    assertRounds(
        3, 14 * MIB, copy(bounds(5, 0, LONG), finding(8 * MIB, 4 * MIB, 2 * MIB, 2 * MIB)));
    FakeLiveTracker tracker = finding(8 * MIB, 4 * MIB + PAGE, 2 * MIB);
    assertRounds(1, 8 * MIB, copy(bounds(5, 0, LONG), tracker));
    assertEquals(2, tracker.selections());
    assertEquals(1, tracker.copiedRounds(), "what it found is left to the pause");
  }

  @Test
  void zerosCountAsWell() throws Exception {
    PageRanges zeros =
        new PageRanges.Builder().copy(0, memory.address(), MIB).zero(MIB, 3 * MIB).build();
    PreCopier done = copy(bounds(5, 0, LONG), new FakeLiveTracker(List.of(zeros)));
    assertRounds(1, 4 * MIB, done);
    assertImageHolds(MIB);
  }

  @Test
  void thereAreNoMoreRoundsThanAllowed() throws Exception {
    FakeLiveTracker tracker = finding(16 * MIB, 8 * MIB, 4 * MIB, 2 * MIB);
    assertRounds(2, 24 * MIB, copy(bounds(2, 0, LONG), tracker));
    assertEquals(2, tracker.selections());
  }

  @Test
  void noRoundGoesBeyondTheBytesAllowed() throws Exception {
    FakeLiveTracker tracker = finding(8 * MIB, 4 * MIB, 2 * MIB);
    assertRounds(1, 8 * MIB, copy(bounds(5, 12 * MIB - 1, LONG), tracker));
    assertEquals(1, tracker.copiedRounds());
    assertRounds(2, 12 * MIB, copy(bounds(5, 12 * MIB, LONG), finding(8 * MIB, 4 * MIB)));
    assertRounds(0, 0, copy(bounds(5, 8 * MIB - 1, LONG), finding(8 * MIB)));
  }

  @Test
  void aRoundThatRunsOutOfTimeCountsWithWhatItCopied() throws Exception {
    FakeLiveTracker tracker = finding(16 * MIB).whileSelecting(PreCopierTest::outlastShort);
    assertRounds(1, CHUNK, copy(bounds(5, 0, SHORT), tracker));
    assertEquals(0, tracker.copiedRounds(), "all of it is read again in the pause");
    assertImageHolds(CHUNK);
  }

  @Test
  void aRoundWhoseLastPagesTookTheTimeIsWhole() throws Exception {
    FakeLiveTracker tracker = finding(CHUNK, 2 * MIB).whileSelecting(PreCopierTest::outlastShort);
    assertRounds(1, CHUNK, copy(bounds(5, 0, SHORT), tracker));
    assertEquals(1, tracker.copiedRounds());
  }

  @Test
  void noRoundBeginsWhenTheTimeIsOver() throws Exception {
    FakeLiveTracker tracker = finding(3 * MIB, MIB + PAGE).whenCopied(PreCopierTest::outlastShort);
    assertRounds(1, 3 * MIB, copy(bounds(5, 0, SHORT), tracker));
    assertEquals(1, tracker.selections());
    FakeLiveTracker never = finding(8 * MIB);
    assertRounds(0, 0, copy(bounds(5, 0, Duration.ZERO), never));
    assertEquals(0, never.selections());
  }

  private static void outlastShort() {
    try {
      Thread.sleep(SHORT.toMillis() + 1);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void zeroRoundsIsNever() throws Exception {
    FakeLiveTracker tracker = finding(8 * MIB);
    PreCopier done = copy(bounds(0, 0, LONG), tracker);
    assertRounds(0, 0, done);
    assertNull(done.located());
    assertEquals(0, tracker.selections());
    assertEquals(List.of(), steps);
  }

  @Test
  void aMachineThatStandsStillAnywayIsLeftAlone() throws Exception {
    FakeLiveTracker tracker = finding(8 * MIB);
    try (AlreadyPausedVm standing = new AlreadyPausedVm(machine())) {
      assertRounds(0, 0, copy(Settings.NONE, tracker, standing));
    }
    assertEquals(0, tracker.selections());
  }

  @Test
  void aTrackerThatCannotTellSaysSo() {
    RametException lost = new RametException(ErrorCode.UNSUPPORTED, "tracking lost");
    FakeLiveTracker tracker =
        finding(8 * MIB)
            .whileSelecting(
                () -> {
                  throw lost;
                });
    PausedSection.ModeUnfit unfit =
        assertThrows(PausedSection.ModeUnfit.class, () -> copy(Settings.NONE, tracker));
    assertEquals(lost, unfit.failure);
  }
}
