// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests wrong results of plugins that no type rules out, and calls that do not end. */
final class NonsenseTest {
  private static final Duration SHORT = Duration.ofMillis(20);
  private static final long MIB = 1 << 20;

  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

  private static GuardedHypervisor hypervisor(Hypervisor real) {
    return new GuardedHypervisor(real, Faults.guard(), new Deadlines(Faults.guard(), SHORT));
  }

  private static void broken(Runnable call) {
    RametException e = assertThrows(RametException.class, call::run);
    assertEquals(ErrorCode.INTERNAL, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("plugin acme"), e::toString);
  }

  private RunningVm vm(Map<String, ?> answers) {
    return new GuardedRunningVm(
        Faults.answering(RunningVm.class, answers),
        hypervisor(Faults.recording(Hypervisor.class, calls)),
        Faults.SPEC);
  }

  @Test
  void aMachineIsAProcessWithTheMemoryThatWasAskedFor() {
    broken(() -> vm(Map.of("pid", 0L)).pid());
    broken(() -> vm(Map.of("pid", -1L)).pid());
    broken(() -> vm(Map.of("egress", new EgressPoint.Process(0))).egress());
    broken(() -> memory(new GuestMemory(8, MIB, List.of())));
    broken(() -> memory(new GuestMemory(7, MIB / 2, List.of())));
    broken(() -> memory(region(0, 2 * MIB)));
    broken(() -> memory(region(-4096, 4096)));
    broken(() -> memory(region(0, 0)));
    broken(() -> memory(region(5, 4096)));
    broken(() -> memory(region(MIB, 4096)));
    broken(() -> memory(region(0, Long.MAX_VALUE & -4096)));
    MemoryRegion twice = new MemoryRegion(0, 4096, 8192, MemoryRegion.Kind.ANONYMOUS);
    broken(() -> memory(new GuestMemory(7, MIB, List.of(twice, twice))));
    memory(region(0, MIB));
  }

  private static GuestMemory region(long offset, long length) {
    return new GuestMemory(
        7, MIB, List.of(new MemoryRegion(offset, 4096, length, MemoryRegion.Kind.ANONYMOUS)));
  }

  private void memory(GuestMemory answer) {
    vm(Map.of("pid", 7L, "memory", answer)).memory();
  }

  @Test
  void aMachineIsThatOfItsDriver() {
    broken(() -> vm(Map.of("identity", new VmIdentity("other", "1", Map.of()))).identity());
    VmIdentity own = new VmIdentity("acme", "1", Map.of());
    assertEquals(own, vm(Map.of("identity", own)).identity());
    assertEquals(Faults.SPEC, vm(Map.of()).spec(), "nobody is asked for what is known");
  }

  @Test
  void aMachineThatIsNoneIsEnded() {
    Hypervisor real =
        Faults.answering(
            Hypervisor.class,
            name -> {
              calls.add(name);
              return name.equals("boot")
                  ? Faults.answering(RunningVm.class, Map.of("pid", 0L))
                  : null;
            });
    broken(() -> hypervisor(real).boot(Faults.SPEC, SHORT));
    assertEquals(List.of("boot", "reap"), calls);
  }

  @Test
  void anExitIsToldWhateverThePluginMakesOfIt() {
    CompletableFuture<VmExit> nothing = CompletableFuture.completedFuture(null);
    CompletableFuture<VmExit> failed = CompletableFuture.failedFuture(new AssertionError("boom"));
    for (CompletableFuture<VmExit> stage : List.of(nothing, failed)) {
      VmExit exit = vm(Map.of("exit", stage)).exit().toCompletableFuture().join();
      assertFalse(exit.requested());
      assertTrue(exit.detail().contains("plugin acme"), exit::detail);
    }
    VmExit real = new VmExit(true, "killed");
    assertEquals(
        real,
        vm(Map.of("exit", CompletableFuture.completedFuture(real)))
            .exit()
            .toCompletableFuture()
            .join());
  }

  private static StorageBackend storage(String call, Object answer) {
    return new GuardedStorage(
        Faults.answering(StorageBackend.class, Map.of(call, answer)), Faults.guard());
  }

  private static Node node(String id) {
    return new Node(NodeId.of(id), Node.Kind.VOLUME, NodeId.of(id), 1);
  }

  @Test
  void listsAreSortedWholeAndOfTheEnginesOwn() {
    broken(() -> storage("list", new ContractsTest.BrokenList<Node>()).list());
    broken(() -> storage("list", List.of(node("b"), node("a"))).list());
    broken(() -> storage("list", List.of(node("a"), node("a"))).list());
    broken(() -> storage("page", List.of(node("a"), node("b"))).page(null, 1));
    broken(() -> storage("page", List.of(node("a"))).page(NodeId.of("a"), 1));
    List<Node> changing = new ArrayList<>(List.of(node("a")));
    List<Node> seen = storage("list", changing).list();
    changing.clear();
    assertEquals(List.of(node("a")), seen);
  }

  @Test
  void whoIsToEndAMachineNeverLetsItRunAgain() {
    for (Faults.Kind kind : Faults.Kind.values()) {
      if (kind == Faults.Kind.NULL) {
        continue;
      }
      List<String> own = new ArrayList<>();
      calls.clear();
      PausedVm paused =
          new GuardedPausedVm(
              Faults.of(PausedVm.class, kind, "kill", Faults.recording(PausedVm.class, own)),
              null,
              hypervisor(Faults.recording(Hypervisor.class, calls)),
              Faults.SPEC);
      assertThrows(RametException.class, paused::kill);
      paused.close();
      assertEquals(List.of(), own);
      assertEquals(List.of("reap"), calls);
    }
  }

  @Test
  void aCallThatDoesNotEndIsLeftBehindAndWhatItMakesIsEnded() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch killed = new CountDownLatch(1);
    Object late =
        Faults.answering(
            RunningVm.class,
            name -> {
              if (name.equals("kill")) {
                killed.countDown();
              }
              return null;
            });
    Hypervisor real =
        Faults.answering(
            Hypervisor.class,
            name -> {
              calls.add(name);
              if (name.equals("reap")) {
                return null;
              }
              waitDeafly(go);
              return name.equals("boot") ? late : null;
            });
    GuardedHypervisor guarded = hypervisor(real);
    overdue("boot", () -> guarded.boot(Faults.SPEC, SHORT));
    assertEquals(List.of("boot", "reap"), calls);
    overdue("restore", () -> guarded.restore(Faults.SPEC, Faults.SAVED, SHORT));
    overdue("reattach", () -> guarded.reattach(Faults.SPEC, SHORT));
    go.countDown();
    assertTrue(killed.await(60, TimeUnit.SECONDS), "a machine that nobody waits for is ended");
  }

  @Test
  void aKillThatDoesNotEndIsDoneOtherwise() {
    CountDownLatch go = new CountDownLatch(1);
    RunningVm real =
        Faults.answering(
            RunningVm.class,
            name -> {
              waitDeafly(go);
              return null;
            });
    RunningVm guarded =
        new GuardedRunningVm(
            real, hypervisor(Faults.recording(Hypervisor.class, calls)), Faults.SPEC);
    overdue("kill", () -> guarded.kill(SHORT));
    assertEquals(List.of("reap"), calls);
    go.countDown();
  }

  /** Waits without reacting to interrupts, as a plugin may. */
  private static void waitDeafly(CountDownLatch go) {
    boolean open = false;
    while (!open) {
      try {
        open = go.await(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        // ignored on purpose
      }
    }
  }

  private static void overdue(String call, Runnable run) {
    RametException e = assertThrows(RametException.class, run::run);
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains("plugin acme") && message.contains(call + "()"), message);
  }

  @Test
  void anInterruptReachesTheCallAndItsCaller() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean heard = new AtomicBoolean();
    Hypervisor real =
        Faults.answering(
            Hypervisor.class,
            name -> {
              if (!name.equals("boot")) {
                return null;
              }
              begun.countDown();
              try {
                Thread.sleep(60_000);
              } catch (InterruptedException e) {
                heard.set(true);
              }
              throw new RametException(ErrorCode.CANCELLED, "interrupted");
            });
    GuardedHypervisor guarded = hypervisor(real);
    CompletableFuture<ErrorCode> answer = new CompletableFuture<>();
    AtomicBoolean kept = new AtomicBoolean();
    Thread caller =
        new Thread(
            () -> {
              RametException e =
                  assertThrows(
                      RametException.class,
                      () -> guarded.boot(Faults.SPEC, Duration.ofSeconds(30)));
              kept.set(Thread.currentThread().isInterrupted());
              answer.complete(e.code());
            });
    caller.start();
    assertTrue(begun.await(60, TimeUnit.SECONDS));
    caller.interrupt();
    assertEquals(ErrorCode.CANCELLED, answer.get(60, TimeUnit.SECONDS));
    assertTrue(heard.get() && kept.get());
  }
}
