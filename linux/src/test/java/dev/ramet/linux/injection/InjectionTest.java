// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.InjectionException;
import dev.ramet.linux.InjectionException.Reason;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.ProcessCalls;
import dev.ramet.linux.memory.Userfaultfd;
import dev.ramet.linux.process.ProcStatus;
import dev.ramet.linux.process.ProcessStat;
import dev.ramet.linux.process.ThreadChoice;
import dev.ramet.testing.Require;
import dev.ramet.testing.Tracee;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Threads are borrowed from a process that notices every disturbance. */
@Timeout(900)
class InjectionTest {
  private static final int PAGES = 16;
  private static final int ENOMEM = 12;

  private final Path directory;
  private Path image;

  InjectionTest(@TempDir Path directory) {
    this.directory = directory;
    this.image = directory;
  }

  @BeforeEach
  void needs() throws Exception {
    Require.feature("userfaultfd", Userfaultfd.supported() && works(), "needs Linux 6.7, x86-64");
    image = Files.write(directory.resolve("image"), new byte[PAGES * NativeBuffer.PAGE_BYTES]);
  }

  private static boolean works() {
    try {
      Userfaultfd.openHere().close();
      return true;
    } catch (LinuxException e) {
      return false;
    }
  }

  private Tracee tracee(String mode) throws Exception {
    return new Tracee(directory, image, PAGES, mode);
  }

  static void assertUndisturbed(Tracee tracee) throws Exception {
    long rounds = tracee.disturbances()[6];
    Thread.sleep(100);
    long end = System.nanoTime() + 300_000_000_000L;
    long[] after = tracee.disturbances();
    while (after[6] <= rounds && System.nanoTime() < end) {
      Thread.sleep(10);
      after = tracee.disturbances();
    }
    assertArrayEquals(new long[6], Arrays.copyOf(after, 6), "something was disturbed");
    assertTrue(after[6] > rounds, "the busy thread stands still");
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
      while (ThreadChoice.of(tracee.pid()).get(0) != futex && System.nanoTime() < end) {
        Thread.sleep(10);
      }
      assertEquals(futex, ThreadChoice.of(tracee.pid()).get(0));
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
      assertFalse(ThreadChoice.of(tracee.pid()).contains(tracee.pid()));
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

  @Test
  void deathAtAnyStepIsAnErrorAndNothingMore() throws Exception {
    Set<String> steps = new HashSet<>();
    Set<String> fatal =
        Set.of(
            "seize",
            "stopped",
            "return",
            "mask",
            "userfaultfd",
            "call",
            "enter",
            "exit",
            "take",
            "close");
    Set<String> harmless = Set.of("restore", "unmask", "registers", "detach");
    List<String> all = new ArrayList<>(fatal);
    all.addAll(harmless);
    all.add("done");
    for (String at : all) {
      for (String name : List.of("futex", "busy", "tracee")) {
        try (Tracee tracee = tracee("threads")) {
          List<Long> threads = List.of(tracee.thread(name));
          Injector injector =
              new Injector(
                  tracee.pid(),
                  Userfaultfd.FLAGS,
                  step -> {
                    steps.add(step);
                    if (step.equals(at)) {
                      kill(tracee);
                    }
                  });
          if (!fatal.contains(at)) {
            ProcessCalls.close(injector.open(threads));
          } else {
            LinuxException e = assertThrows(LinuxException.class, () -> injector.open(threads));
            assertTrue(
                Set.of(LinuxException.ESRCH, LinuxException.ENOENT).contains(e.errno()),
                () -> at + ": " + e);
          }
          if (!at.equals("done")) {
            assertGone(tracee);
          }
        }
      }
    }
    all.remove("done");
    assertEquals(Set.copyOf(all), steps);
  }

  private static void kill(Tracee tracee) {
    try {
      tracee.kill("KILL");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void assertGone(Tracee tracee) throws Exception {
    long deadline = System.nanoTime() + 300_000_000_000L;
    while (tracee.alive()) {
      assertTrue(System.nanoTime() < deadline, "a dead process is held back");
      Thread.sleep(5);
    }
  }

  @Test
  void aStoppedProcessIsStoppedAfterwards() throws Exception {
    try (Tracee tracee = tracee("threads")) {
      Set<String> before = tracee.descriptors();
      for (String name : List.of("futex", "sleep", "busy")) {
        List<Long> threads = List.of(tracee.thread(name));
        tracee.kill("STOP");
        awaitState(tracee, 'T');
        ProcessCalls.close(new Injector(tracee.pid(), Userfaultfd.FLAGS, step -> {}).open(threads));
        awaitState(tracee, 'T');
        Thread.sleep(20);
        awaitState(tracee, 'T');
        tracee.kill("CONT");
      }
      // Stopped as a whole while a thread is borrowed.
      for (String at : List.of("stopped", "userfaultfd", "take", "close", "restore")) {
        List<Long> threads = List.of(tracee.thread("futex"));
        Injector injector =
            new Injector(
                tracee.pid(),
                Userfaultfd.FLAGS,
                step -> {
                  if (step.equals(at)) {
                    try {
                      tracee.kill("STOP");
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                  }
                });
        ProcessCalls.close(injector.open(threads));
        awaitState(tracee, 'T');
        tracee.kill("CONT");
      }
      assertEquals(before, tracee.descriptors());
      assertUndisturbed(tracee);
    }
  }

  private static void awaitState(Tracee tracee, char state) throws Exception {
    long deadline = System.nanoTime() + 300_000_000_000L;
    while (true) {
      List<Character> states = new ArrayList<>();
      try (var threads = Files.list(Path.of("/proc/" + tracee.pid() + "/task"))) {
        for (Path thread : (Iterable<Path>) threads::iterator) {
          states.add(ProcessStat.read(Long.parseLong("" + thread.getFileName())).state());
        }
      }
      if (states.stream().allMatch(s -> s == state)) {
        return;
      }
      assertTrue(System.nanoTime() < deadline, "threads are " + states);
      Thread.sleep(1);
    }
  }

  @Test
  void anotherProgramInItsPlaceIsNotHarmed() throws Exception {
    try (Tracee tracee = tracee("threads")) {
      Userfaultfd held = Userfaultfd.openIn(tracee.pid());
      tracee.send("x");
      while (!ProcessStat.read(tracee.pid()).command().equals("sleep")) {
        Thread.sleep(1);
      }
      LinuxException e =
          assertThrows(
              LinuxException.class, () -> held.register(tracee.address(), NativeBuffer.PAGE_BYTES));
      assertEquals(ENOMEM, e.errno());
      held.close();
      Userfaultfd.openIn(tracee.pid()).close();
      assertTrue(tracee.alive());
    }
  }

  @Test
  void filtersDecideWhetherTheCallIsMade() throws Exception {
    Require.root();
    for (String answer : List.of("0x80000000", "0", "0x30000", "0x50001", "0x7ff00000")) {
      try (Tracee tracee = tracee(answer)) {
        InjectionException e =
            assertThrows(InjectionException.class, () -> Userfaultfd.openIn(tracee.pid()), answer);
        assertEquals(Reason.FILTERED, e.reason());
        tracee.command("w 0 1 1");
      }
    }
    for (String answer : List.of("0x80000000@15", "0x50001@15", "0x30000@3")) {
      try (Tracee tracee = tracee(answer)) {
        InjectionException e =
            assertThrows(InjectionException.class, () -> Userfaultfd.openIn(tracee.pid()), answer);
        assertEquals(Reason.FILTERED, e.reason());
      }
    }
    for (String answer : List.of("0x7fff0000", "0x7ffc0000", "0x7fff0000@15")) {
      try (Tracee tracee = tracee(answer)) {
        Userfaultfd.openIn(tracee.pid()).close();
        tracee.command("w 0 1 1");
      }
    }
  }

  @Test
  void refusalsOfTheCallItselfComeBack() throws Exception {
    try (Tracee tracee = tracee("threads")) {
      Injector injector = new Injector(tracee.pid(), 0x12345670, step -> {});
      InjectionException e =
          assertThrows(
              InjectionException.class, () -> injector.open(ThreadChoice.of(tracee.pid())));
      assertEquals(Reason.CALL_FAILED, e.reason());
      assertUndisturbed(tracee);
    }
    LinuxException e = assertThrows(LinuxException.class, () -> Userfaultfd.openIn(0x7ffffff0));
    assertEquals(LinuxException.ENOENT, e.errno());
    LinuxException self =
        assertThrows(LinuxException.class, () -> Userfaultfd.openIn(ProcessHandle.current().pid()));
    assertEquals(LinuxException.EPERM, self.errno());
  }
}
