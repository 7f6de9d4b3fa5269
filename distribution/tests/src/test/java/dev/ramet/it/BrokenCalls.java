// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** Breaks each call of an operation into its plugins in turn, and checks the consequences. */
final class BrokenCalls {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Ground ground;
  private final String sandboxId;

  /**
   * Takes the engine to break calls of.
   *
   * @param sandboxId a sandbox that must run on whatever breaks
   */
  BrokenCalls(Ground ground, String sandboxId) {
    this.ground = ground;
    this.sandboxId = sandboxId;
  }

  void assertAlive(String id) {
    try {
      assertEquals("alive", ground.shell(id).run("echo alive"), "the guest runs on");
    } catch (IOException e) {
      throw new UncheckedIOException("the guest does not answer", e);
    }
  }

  Stream<DynamicTest> eachFault(FaultyOperation operation, List<String> ways) {
    operation.prepare().run();
    var calls = FaultyPlugin.callsOf(operation.run());
    operation.takeBack().run();
    List<DynamicTest> tests = new ArrayList<>();
    calls.forEach(
        (call, object) -> {
          for (String how : ways) {
            if (!operation.concerns(call) || (how.equals("null") && !object)) {
              continue;
            }
            tests.add(
                DynamicTest.dynamicTest(call + ", " + how, () -> breakCall(operation, call, how)));
          }
        });
    assertTrue(tests.size() > 3, calls::toString);
    List<String> open = Descriptors.open();
    tests.add(
        DynamicTest.dynamicTest(
            "then it works, and nothing has leaked", () -> works(operation, open, tests.size())));
    return tests.stream();
  }

  private void breakCall(FaultyOperation operation, String call, String how) throws Exception {
    SortedSet<String> before = ground.files();
    int machines = ground.machines().size();
    operation.prepare().run();
    FaultyPlugin.breakNext(call, how);
    try {
      operation.run().run();
      // Some failures reach no caller: the next start cleans up what is left.
      FaultyPlugin.mend();
      operation.takeBack().run();
    } catch (RametException e) {
      assertTrue(
          String.valueOf(e.getMessage()).contains("faulty-"),
          () -> call + ", " + how + ": an error must name the plugin: " + e);
      FaultyPlugin.mend();
      operation.repeat().run();
    } finally {
      FaultyPlugin.mend();
    }
    String what = call + ", " + how + ": ";
    assertEquals(machines, ground.machines().size(), what + "machines");
    assertEquals(Sandbox.State.RUNNING, ground.engine().sandboxes().get(sandboxId).state());
    assertAlive(sandboxId);
    if (operation.tidyAtOnce()) {
      SortedSet<String> after = ground.files();
      assertEquals(
          less(before, after), less(after, before), what + "what was there, what is there");
    }
  }

  private void works(FaultyOperation operation, List<String> openBefore, int faults)
      throws InterruptedException {
    operation.prepare().run();
    operation.run().run();
    operation.takeBack().run();
    // One for every second fault would be a leak; a few come and go with threads and caches.
    List<String> openNow = Descriptors.open();
    for (long end = System.nanoTime() + PATIENCE.toNanos();
        openNow.size() > openBefore.size() && System.nanoTime() < end;
        openNow = Descriptors.open()) {
      Thread.sleep(200);
    }
    List<String> last = openNow;
    assertTrue(
        last.size() < openBefore.size() + Math.max(4, faults / 2),
        () -> "open were " + openBefore + " and now " + last);
  }

  private static SortedSet<String> less(SortedSet<String> some, SortedSet<String> others) {
    SortedSet<String> rest = new TreeSet<>(some);
    rest.removeAll(others);
    // QEMU's state file in its machine's directory: left by an unfinished save, replaced by the
    // next.
    rest.removeIf(file -> file.endsWith("/state"));
    return rest;
  }
}
