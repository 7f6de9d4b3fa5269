// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxGround;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the end of a sandbox's time, which the test lets come. */
final class SandboxExpiryTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir private Path root;
  private final HeldTimer timer = new HeldTimer();
  private final List<String> ended = new ArrayList<>();
  private LiveSandbox live;
  private SandboxExpiry ends;

  /** Why the next attempt fails, or nothing. */
  private final Deque<RametException> failures = new ArrayDeque<>();

  /** A timer whose tasks the test runs. */
  private static final class HeldTimer extends ScheduledThreadPoolExecutor {
    private record Due(Runnable task, Duration delay) {}

    private final Deque<Due> due = new ArrayDeque<>();

    HeldTimer() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      due.add(new Due(task, Duration.ofNanos(unit.toNanos(delay))));
      return super.schedule(() -> {}, 0, TimeUnit.NANOSECONDS);
    }

    /** Lets the time of the oldest task come, and returns how long it was to wait. */
    Duration runNext() {
      Due next = due.remove();
      next.task().run();
      return next.delay();
    }
  }

  @BeforeEach
  void open() {
    SandboxStore sandboxes = new SandboxStore(new Layout(root));
    SandboxRecord record = SandboxGround.record("i1").withEndAt(Instant.now().plus(HOUR));
    live = new LiveSandbox(record, null);
    sandboxes.add(live);
    ends =
        new SandboxExpiry(
            sandboxes,
            timer,
            Runnable::run,
            (sandbox, wanted) -> end("kill", wanted),
            (sandbox, keepMemory, wanted) -> end("pause", wanted));
    ends.schedule(live);
  }

  @AfterEach
  void close() {
    timer.shutdownNow();
  }

  private void end(String how, Predicate<SandboxRecord> wanted) {
    RametException failure = failures.poll();
    if (failure != null) {
      throw failure;
    }
    if (wanted.test(live.saved())) {
      ended.add(how);
    }
  }

  @Test
  void aSandboxWhoseTimeIsOverIsKilled() {
    Duration waited = timer.runNext();
    assertTrue(waited.compareTo(HOUR.minusMinutes(5)) > 0, waited::toString);
    assertEquals(List.of("kill"), ended);
  }

  @Test
  void anEndThatWasMovedDoesNothing() {
    live.transition(live.saved().withEndAt(Instant.now().plus(HOUR).plus(HOUR)), null);
    ends.schedule(live);
    timer.runNext();
    assertEquals(List.of(), ended);
    timer.runNext();
    assertEquals(List.of("kill"), ended);
  }

  @Test
  void aSandboxThatWasPausedIsNotTouchedEvenWithoutRoom() {
    failures.add(new RametException(ErrorCode.NO_SPACE, "little space is left"));
    live.transition(live.saved().withState(SandboxRecord.State.PAUSED, null), null);
    timer.runNext();
    assertEquals(1, failures.size(), "nothing was tried");
    assertEquals(0, timer.due.size(), "and nothing is tried again");
    assertEquals(List.of(), ended);
  }

  @Test
  void anEndThatFailsForLackOfRoomIsTriedAgain() {
    failures.add(new RametException(ErrorCode.NO_SPACE, "little space is left"));
    timer.runNext();
    assertEquals(List.of(), ended);
    assertEquals(Duration.ofSeconds(30), timer.runNext());
    assertEquals(List.of("kill"), ended);
  }

  @Test
  void aSandboxThatIsGoneIsNotTriedAgain() {
    failures.add(RametException.notFound("sandbox", "i1"));
    timer.runNext();
    assertEquals(0, timer.due.size());
  }
}
