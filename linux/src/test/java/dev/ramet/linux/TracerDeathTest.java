// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

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

/** The borrowing process is killed, and those whose threads it had go on as they were. */
@Timeout(300)
class TracerDeathTest {
  private static final int PAGES = 16;
  private static final String DONE = "done";
  private static final List<String> NAMES =
      List.of("futex", "ppoll", "sleep", "read", "epoll", "busy", "signals", "tracee");

  @Test
  void deathOfTheBorrowerAtAnyStepDisturbsNothing(@TempDir Path directory) throws Exception {
    Require.feature("userfaultfd", works(), "needs Linux 6.7, x86-64");
    Path image = Files.write(directory.resolve("image"), new byte[PAGES * NativeBuffer.PAGE_BYTES]);
    Set<String> steps = new TreeSet<>();
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads")) {
      int step = 0;
      Set<String> reached;
      do {
        Set<String> before = tracee.descriptors();
        Map<String, String> masks = masks(tracee);
        reached = killAt(tracee, step);
        steps.addAll(reached);
        String at = "step " + step + ", " + reached;
        awaitLetGo(tracee, masks, at);
        Set<String> after = tracee.descriptors();
        after.removeAll(before);
        assertTrue(after.size() <= NAMES.size(), () -> at + ": " + after);
        assertTrue(after.stream().allMatch(fd -> fd.endsWith("[userfaultfd]")), () -> at + after);
        assertUndisturbed(tracee, at);
        step++;
      } while (!reached.equals(Set.of(DONE)));
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
      InjectionTest.assertUndisturbed(tracee);
    } catch (Exception | AssertionError e) {
      throw new AssertionError(at, e);
    }
  }

  /**
   * Has all threads borrowed at once by a process that is killed when each of them is at its n-th
   * step, and says which steps that were.
   */
  private static Set<String> killAt(Tracee tracee, int step) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Small, beside the JVM of the tests in a machine that has not much.
    command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(
        String.join(
            System.getProperty("path.separator"),
            "target/test-classes",
            "target/classes",
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", "")));
    command.addAll(List.of(Borrower.class.getName(), "" + tracee.pid(), "" + step));
    for (String name : NAMES) {
      command.add("" + tracee.thread(name));
    }
    Process borrower =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Set<String> reached = new TreeSet<>();
    try {
      BufferedReader lines = borrower.inputReader();
      for (int i = 0; i < NAMES.size(); i++) {
        String line = lines.readLine();
        if (line == null || line.contains(" ")) {
          // A JVM that cannot go on says why there, and ends.
          fail("step " + step + ": " + line);
        }
        reached.add(line);
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
      long pid = Long.parseLong(arguments[0]);
      int last = Integer.parseInt(arguments[1]);
      for (int i = 2; i < arguments.length; i++) {
        long thread = Long.parseLong(arguments[i]);
        new Thread(() -> say(borrow(pid, thread, last))).start();
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
                    say(step);
                    forever();
                  }
                })
            .open(List.of(thread));
        return DONE;
      } catch (LinuxException | InjectionException e) {
        return "thread " + thread + ": " + e;
      }
    }

    private static void say(String line) {
      System.out.println(line);
    }

    private static void forever() {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static Map<String, String> masks(Tracee tracee) throws Exception {
    return status(tracee, "SigBlk:");
  }

  private static Map<String, String> status(Tracee tracee, String field) throws Exception {
    Map<String, String> found = new LinkedHashMap<>();
    for (String name : NAMES) {
      Path status = Path.of("/proc/" + tracee.pid() + "/task/" + tracee.thread(name) + "/status");
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith(field)) {
          found.put(name, line.substring(field.length()).strip());
        }
      }
    }
    return found;
  }

  /** Nobody traces it, and every thread blocks the signals that it blocked. */
  private static void awaitLetGo(Tracee tracee, Map<String, String> masks, String at)
      throws Exception {
    long deadline = System.nanoTime() + 5_000_000_000L;
    while (true) {
      Map<String, String> tracers = status(tracee, "TracerPid:");
      Map<String, String> now = masks(tracee);
      if (now.equals(masks) && tracers.values().stream().allMatch("0"::equals)) {
        return;
      }
      assertTrue(System.nanoTime() < deadline, at + ": " + tracers + " " + now + " not " + masks);
      Thread.sleep(5);
    }
  }
}
