// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.ramet.linux.InjectionException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.memory.Userfaultfd;
import dev.ramet.testing.Require;
import dev.ramet.testing.Tracee;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that threads continue unchanged when the process that borrowed them is killed. */
@Timeout(900)
class TracerDeathTest {
  private static final int PAGES = 16;
  private static final int AT_ONCE = 4;
  private static final String DONE = "done";
  private static final String MASK = "SigBlk:";
  private static final List<String> NAMES =
      List.of("futex", "ppoll", "sleep", "read", "epoll", "busy", "signals", "tracee");

  @Test
  void deathOfTheBorrowerAtAnyStepDisturbsNothing(@TempDir Path directory) throws Exception {
    Require.feature("userfaultfd", works(), "needs Linux 6.7, x86-64");
    Path image = Files.write(directory.resolve("image"), new byte[PAGES * NativeBuffer.PAGE_BYTES]);
    Set<String> steps = new TreeSet<>();
    List<Tracee> tracees = new ArrayList<>();
    try {
      for (int i = 0; i < AT_ONCE; i++) {
        tracees.add(new Tracee(directory, image, PAGES, "threads"));
      }
      for (int first = 0; !steps.contains(DONE); first += AT_ONCE) {
        steps.addAll(killFrom(first, tracees));
      }
    } finally {
      for (Tracee tracee : tracees) {
        tracee.close();
      }
    }
    assertEquals(
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
            "close",
            "restore",
            "unmask",
            "registers",
            "detach",
            DONE),
        steps);
  }

  /** Kills at the given step, and one step later with each further process; returns the steps. */
  private static Set<String> killFrom(int first, List<Tracee> tracees) throws Exception {
    List<Set<String>> descriptors = new ArrayList<>();
    List<Map<Path, String>> masks = new ArrayList<>();
    for (Tracee tracee : tracees) {
      descriptors.add(tracee.descriptors());
      masks.add(status(statusFiles(tracee), MASK));
    }
    List<Set<String>> reached = kill(first, tracees);
    Set<String> all = new TreeSet<>();
    for (int i = 0; i < AT_ONCE; i++) {
      Tracee tracee = tracees.get(i);
      String at = "step " + (first + i) + ", " + reached.get(i);
      awaitLetGo(masks.get(i), at);
      Set<String> left = tracee.descriptors();
      left.removeAll(descriptors.get(i));
      assertTrue(left.size() <= NAMES.size(), () -> at + ": " + left);
      assertTrue(left.stream().allMatch(fd -> fd.endsWith("[userfaultfd]")), () -> at + left);
      assertUndisturbed(tracee, at);
      all.addAll(reached.get(i));
    }
    return all;
  }

  private static boolean works() {
    try {
      Userfaultfd.openHere().close();
      return Userfaultfd.supported();
    } catch (LinuxException e) {
      return false;
    }
  }

  private static void assertUndisturbed(Tracee tracee, String at) {
    try {
      InjectionGround.assertUndisturbed(tracee);
    } catch (Exception | AssertionError e) {
      throw new AssertionError(at, e);
    }
  }

  /**
   * Lets a process borrow all threads of all processes at once, kills it when each of them is at
   * its step, and returns the steps of each process.
   */
  private static List<Set<String>> kill(int first, List<Tracee> tracees) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Kept small, because it runs alongside the tests' JVM on a machine with little memory.
    command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(
        String.join(
            System.getProperty("path.separator"),
            "target/test-classes",
            "target/classes",
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", "")));
    command.addAll(List.of(Borrower.class.getName(), "" + first));
    List<Set<String>> reached = new ArrayList<>();
    for (Tracee tracee : tracees) {
      command.add("" + tracee.pid());
      for (String name : NAMES) {
        command.add("" + tracee.thread(name));
      }
      reached.add(new TreeSet<>());
    }
    Process borrower =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      BufferedReader lines = borrower.inputReader();
      for (int i = 0; i < tracees.size() * NAMES.size(); i++) {
        String line = lines.readLine();
        String[] words = line == null ? new String[0] : line.split(" ", -1);
        if (words.length != 2) {
          // A JVM that cannot go on says why there, and ends.
          fail("step " + first + ": " + line);
        }
        reached.get(Integer.parseInt(words[0]) - first).add(words[1]);
      }
    } finally {
      borrower.destroyForcibly().waitFor();
    }
    return reached;
  }

  /** Borrows threads until it is killed. */
  static final class Borrower {
    private Borrower() {}

    public static void main(String[] arguments) throws Exception {
      int last = Integer.parseInt(arguments[0]);
      for (int i = 1; i < arguments.length; i += 1 + NAMES.size(), last++) {
        long pid = Long.parseLong(arguments[i]);
        for (int j = 1; j <= NAMES.size(); j++) {
          long thread = Long.parseLong(arguments[i + j]);
          int until = last;
          new Thread(() -> System.out.println(until + " " + borrow(pid, thread, until))).start();
        }
      }
      forever();
    }

    private static String borrow(long pid, long thread, int last) {
      int[] steps = {0};
      try {
        new Injector(
                pid,
                Userfaultfd.FLAGS,
                step -> {
                  if (steps[0]++ == last) {
                    System.out.println(last + " " + step);
                    forever();
                  }
                })
            .open(List.of(thread));
        return DONE;
      } catch (LinuxException | InjectionException e) {
        return "thread " + thread + ": " + e;
      }
    }

    private static void forever() {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static List<Path> statusFiles(Tracee tracee) throws Exception {
    List<Path> files = new ArrayList<>();
    for (String name : NAMES) {
      files.add(Path.of("/proc/" + tracee.pid() + "/task/" + tracee.thread(name) + "/status"));
    }
    return files;
  }

  private static Map<Path, String> status(List<Path> files, String field) throws Exception {
    Map<Path, String> found = new LinkedHashMap<>();
    for (Path status : files) {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith(field)) {
          found.put(status, line.substring(field.length()).strip());
        }
      }
    }
    return found;
  }

  /** Nobody traces it, and every thread blocks the signals that it blocked. */
  private static void awaitLetGo(Map<Path, String> masks, String at) throws Exception {
    List<Path> files = List.copyOf(masks.keySet());
    long deadline = System.nanoTime() + 300_000_000_000L;
    while (true) {
      Map<Path, String> tracers = status(files, "TracerPid:");
      Map<Path, String> now = status(files, MASK);
      if (now.equals(masks) && tracers.values().stream().allMatch("0"::equals)) {
        return;
      }
      assertTrue(System.nanoTime() < deadline, at + ": " + tracers + " " + now + " not " + masks);
      Thread.sleep(5);
    }
  }
}
