// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.InjectionException;
import dev.ramet.linux.InjectionException.Reason;
import dev.ramet.linux.call.ProcessCalls;
import dev.ramet.linux.memory.Userfaultfd;
import dev.ramet.linux.process.ProcStatus;
import dev.ramet.linux.process.ThreadChoice;
import dev.ramet.testing.Tracee;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads are borrowed from a process that notices every disturbance. */
final class InjectionTest extends InjectionGround {
  InjectionTest(@TempDir Path directory) {
    super(directory);
  }

  @Test
  void everyKindOfThreadCanBeBorrowedAndNoticesNothing() throws Exception {
    try (Tracee tracee = tracee("threads")) {
      Set<String> before = tracee.descriptors();
      for (int i = 0; i < 40; i++) {
        for (String name :
            List.of("futex", "ppoll", "sleep", "read", "epoll", "busy", "signals", "tracee")) {
          Injector injector = new Injector(tracee.pid(), Userfaultfd.FLAGS, step -> {});
          int fd = injector.open(List.of(tracee.thread(name)));
          assertTrue(fd > 2, name);
          ProcessCalls.close(fd);
        }
      }
      assertEquals(before, tracee.descriptors());
      assertUndisturbed(tracee);
    }
  }

  /** A thread that is already traced cannot be traced again, not even by its tracer. */
  @Test
  void oneThatIsSlowToStopIsWaitedForAgain() throws Exception {
    try (Tracee tracee = tracee("threads")) {
      long thread = tracee.thread("busy");
      for (int i = 0; i < 40; i++) {
        try {
          ProcessCalls.close(
              new Injector(tracee.pid(), Userfaultfd.FLAGS, 0, step -> {}).open(List.of(thread)));
        } catch (InjectionException e) {
          assertEquals(Reason.NO_THREAD, e.reason());
        }
        // Tracing ends with the tracer thread, whose end nobody waits for.
        while (ProcStatus.number("/proc/" + thread + "/status", "TracerPid", 0) != 0) {
          Thread.sleep(1);
        }
      }
      assertUndisturbed(tracee);
    }
  }

  @Test
  void anIdleThreadIsChosen() throws Exception {
    try (Tracee tracee = tracee("threads")) {
      long futex = tracee.thread("futex");
      // The thread may not wait yet.
      long end = System.nanoTime() + 300_000_000_000L;
      while (ThreadChoice.candidates(tracee.pid()).get(0) != futex && System.nanoTime() < end) {
        Thread.sleep(10);
      }
      assertEquals(futex, ThreadChoice.candidates(tracee.pid()).get(0));
      Userfaultfd.openIn(tracee.pid()).close();
      assertUndisturbed(tracee);
    }
    assertEquals(0, ThreadChoice.rank("202 0x1 0x0\n"));
    assertEquals(1, ThreadChoice.rank("271 0x1 0x0"));
    assertEquals(2, ThreadChoice.rank("232 0x1 0x0"));
    assertEquals(2, ThreadChoice.rank("219 0x1 0x0"));
    assertEquals(3, ThreadChoice.rank("running\n"));
    assertEquals(3, ThreadChoice.rank("-1 0x0 0x0"));
  }

  @Test
  void aThreadWithoutRoomOnItsStackIsLeftAlone() throws Exception {
    try (Tracee tracee = tracee("threads")) {
      long deep = tracee.thread("deep");
      Injector injector = new Injector(tracee.pid(), Userfaultfd.FLAGS, step -> {});
      InjectionException e =
          assertThrows(InjectionException.class, () -> injector.open(List.of(deep)));
      assertEquals(Reason.NO_THREAD, e.reason());
      List<Long> both = List.of(deep, tracee.thread("sleep"));
      ProcessCalls.close(new Injector(tracee.pid(), Userfaultfd.FLAGS, step -> {}).open(both));
      assertUndisturbed(tracee);
    }
  }

  @Test
  void theFirstThreadOfAChildIsNeverTraced() throws Exception {
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads", true)) {
      assertFalse(ThreadChoice.candidates(tracee.pid()).contains(tracee.pid()));
      for (int i = 0; i < 50; i++) {
        Userfaultfd.openIn(tracee.pid()).close();
      }
      assertTrue(tracee.parentSeesItRun());
      assertUndisturbed(tracee);
    }
    try (Tracee alone = new Tracee(directory, image, PAGES, "single", true)) {
      InjectionException e =
          assertThrows(InjectionException.class, () -> Userfaultfd.openIn(alone.pid()));
      assertEquals(Reason.NO_THREAD, e.reason());
    }
  }
}
