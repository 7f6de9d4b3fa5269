// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.InjectionException;
import dev.ramet.linux.InjectionException.Reason;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.ProcessCalls;
import dev.ramet.linux.memory.Userfaultfd;
import dev.ramet.linux.process.ProcessStat;
import dev.ramet.linux.process.ThreadChoice;
import dev.ramet.testing.Require;
import dev.ramet.testing.Tracee;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that a call in another process that fails, or whose process dies or stops, harms nobody.
 */
final class InjectionFailuresTest extends InjectionGround {
  InjectionFailuresTest(@TempDir Path directory) {
    super(directory);
  }

  private static final int ENOMEM = 12;

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
              InjectionException.class, () -> injector.open(ThreadChoice.candidates(tracee.pid())));
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
