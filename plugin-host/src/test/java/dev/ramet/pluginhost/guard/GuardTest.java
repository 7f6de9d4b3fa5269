// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.Origin;
import dev.ramet.pluginhost.find.Service;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.memory.DirtyLog;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.RootExamination;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Breaks each call of each contract in each way, and checks the outcome. */
final class GuardTest {
  private static final Faults.Kind[] KINDS = Faults.Kind.values();
  private static final GuestMemory MEMORY = new GuestMemory(1, 1 << 20, List.of());
  private static final NodeId N = NodeId.of("n");
  private static final StorageFacts FACTS = StorageFacts.copying(Set.of());

  private final List<String> calls = new ArrayList<>();

  private GuardedHypervisor hypervisor(Hypervisor real) {
    return new GuardedHypervisor(real, Faults.guard());
  }

  private GuardedHypervisor recording() {
    return hypervisor(Faults.recording(Hypervisor.class, calls));
  }

  @TestFactory
  Stream<DynamicTest> eachCallInEachWay() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Faults.Kind kind : KINDS) {
      each(tests, kind, StorageBackend.class, real -> new GuardedStorage(real, Faults.guard()));
      each(tests, kind, MemoryMode.class, real -> new GuardedMemoryMode(real, Faults.guard()));
      each(
          tests,
          kind,
          MemoryTracker.class,
          real ->
              new GuardedMemoryMode(
                      Faults.answering(MemoryMode.class, Map.of("attach", real)), Faults.guard())
                  .attach(MEMORY));
      each(
          tests,
          kind,
          LiveTracker.class,
          real ->
              (LiveTracker)
                  new GuardedMemoryMode(
                          Faults.answering(MemoryMode.class, Map.of("attach", real)),
                          Faults.guard())
                      .attach(MEMORY));
      each(tests, kind, DirtyLog.class, real -> new GuardedDirtyLog(real, Faults.guard()));
      each(tests, kind, Hypervisor.class, this::hypervisor);
      each(
          tests,
          kind,
          RunningVm.class,
          real -> new GuardedRunningVm(real, recording(), Faults.SPEC));
      each(
          tests,
          kind,
          PausedVm.class,
          real -> new GuardedPausedVm(real, null, recording(), Faults.SPEC));
      each(
          tests,
          kind,
          SavingVm.class,
          real ->
              new GuardedSavingVm(
                  real,
                  new GuardedRunningVm(
                      Faults.recording(RunningVm.class, calls), recording(), Faults.SPEC),
                  recording(),
                  Faults.SPEC));
    }
    return tests.stream();
  }

  private <T> void each(
      List<DynamicTest> tests,
      Faults.Kind kind,
      Class<T> type,
      java.util.function.Function<T, T> guarded) {
    Arrays.stream(type.getMethods())
        .filter(method -> !method.getReturnType().isPrimitive() || kind != Faults.Kind.NULL)
        // The guard knows the result and does not ask the plugin.
        .filter(method -> !method.getName().equals("spec"))
        .forEach(
            method ->
                tests.add(
                    DynamicTest.dynamicTest(
                        type.getSimpleName() + "." + method.getName() + ", " + kind,
                        () -> {
                          calls.clear();
                          T object = guarded.apply(Faults.of(type, kind));
                          RametException e =
                              assertThrows(RametException.class, () -> Faults.call(object, method));
                          if (kind == Faults.Kind.KNOWN) {
                            assertEquals(ErrorCode.CONFLICT, e.code());
                            assertEquals(
                                afterKnown(type, method.getName()),
                                calls,
                                "a known error is cleaned up after");
                          } else {
                            assertEquals(ErrorCode.INTERNAL, e.code());
                            String message = String.valueOf(e.getMessage());
                            assertTrue(
                                message.contains("plugin acme (plugins/acme: acme.jar, module com"),
                                message);
                            assertTrue(message.contains(method.getName() + "()"), message);
                          }
                        })));
  }

  /**
   * Returns the cleanup calls after a failure that the contract allows: the machine must not stay
   * paused.
   */
  private static List<String> afterKnown(Class<?> type, String call) {
    if (!PausedVm.class.isAssignableFrom(type)) {
      return List.of();
    }
    return switch (call) {
      case "kill" -> List.of("reap");
      case "close" -> List.of("reattach");
      default -> List.of();
    };
  }

  private void broken(String call, Map<String, Object> answers, Runnable use) {
    RametException e = assertThrows(RametException.class, use::run);
    assertEquals(ErrorCode.INTERNAL, e.code());
    assertTrue(
        String.valueOf(e.getMessage()).contains("in " + call + "()"), () -> e + " " + answers);
  }

  private void brokenNode(String call, Node answer) {
    StorageBackend storage =
        new GuardedStorage(
            Faults.answering(StorageBackend.class, Map.of(call, answer)), Faults.guard());
    broken(
        call,
        Map.of(call, answer),
        () -> {
          switch (call) {
            case "create" -> storage.create(N, 5);
            case "importFrom" -> storage.importFrom(N, Path.of("/x"));
            case "snapshot" -> storage.snapshot(NodeId.of("v"), N, Durability.DURABLE);
            case "fork" -> storage.fork(NodeId.of("s"), N, Durability.DURABLE);
            default -> storage.seal(N, Durability.DURABLE);
          }
        });
  }

  @Test
  void nodesAreWhatWasAskedFor() {
    Node other = new Node(NodeId.of("other"), Node.Kind.VOLUME, NodeId.of("other"), 5);
    Node volume = new Node(N, Node.Kind.VOLUME, N, 5);
    Node snapshot = new Node(N, Node.Kind.SNAPSHOT, N, 5);
    for (String call : List.of("create", "importFrom", "snapshot", "fork", "seal")) {
      brokenNode(call, other);
    }
    brokenNode("create", snapshot);
    brokenNode("create", new Node(N, Node.Kind.VOLUME, N, 4));
    brokenNode("importFrom", snapshot);
    brokenNode("fork", snapshot);
    brokenNode("snapshot", volume);
    brokenNode("seal", volume);
  }

  @Test
  void otherAnswersAreWhatTheContractAllows() {
    Map<String, Object> wrong =
        Map.of(
            "attach",
            new Attachment.LocalFile(Path.of("relative"), false),
            "usage",
            new Usage(-1, 5),
            "list",
            Arrays.asList(new Node(N, Node.Kind.VOLUME, N, 5), null),
            "find",
            Optional.of(new Node(NodeId.of("other"), Node.Kind.VOLUME, NodeId.of("other"), 5)));
    StorageBackend storage =
        new GuardedStorage(Faults.answering(StorageBackend.class, wrong), Faults.guard());
    broken("attach", wrong, () -> storage.attach(N));
    broken("usage", wrong, () -> storage.usage(N));
    broken("list", wrong, storage::list);
    broken("find", wrong, () -> storage.find(N));
    PageRanges outside = new PageRanges.Builder().copy(1 << 20, 0, 4096).build();
    MemoryTracker tracker =
        new GuardedMemoryMode(
                Faults.answering(
                    MemoryMode.class,
                    Map.of(
                        "attach",
                        Faults.answering(MemoryTracker.class, Map.of("select", outside)))),
                Faults.guard())
            .attach(MEMORY);
    broken("select", Map.of(), () -> tracker.select(MEMORY));
  }

  @Test
  void aFailedStartIsCleanedUpAfter() {
    for (Faults.Kind kind : KINDS) {
      for (String call : List.of("boot", "restore")) {
        calls.clear();
        Hypervisor real = Faults.recording(Hypervisor.class, calls);
        GuardedHypervisor guarded = hypervisor(Faults.of(Hypervisor.class, kind, call, real));
        assertThrows(
            RametException.class,
            () -> {
              if (call.equals("boot")) {
                guarded.boot(Faults.SPEC, Duration.ZERO);
              } else {
                guarded.restore(Faults.SPEC, Faults.SAVED, Duration.ZERO);
              }
            });
        assertEquals(kind == Faults.Kind.KNOWN ? List.of() : List.of("reap"), calls);
      }
    }
  }

  @Test
  void aFailedPauseLeavesTheMachineRunning() {
    for (Faults.Kind kind : KINDS) {
      for (String call : List.of("pause", "pauseAndSave")) {
        calls.clear();
        GuardedRunningVm vm =
            new GuardedRunningVm(Faults.of(RunningVm.class, kind), recording(), Faults.SPEC);
        assertThrows(
            RametException.class,
            () -> {
              if (call.equals("pause")) {
                vm.pause();
              } else {
                vm.pauseAndSave(Path.of("/x"));
              }
            });
        assertEquals(kind == Faults.Kind.KNOWN ? List.of() : List.of("reattach"), calls);
      }
      if (kind != Faults.Kind.NULL) {
        calls.clear();
        PausedVm paused =
            new GuardedPausedVm(Faults.of(PausedVm.class, kind), null, recording(), Faults.SPEC);
        assertThrows(RametException.class, paused::close);
        assertEquals(List.of("reattach"), calls, "whoever fails in a close leaves it paused");
      }
    }
  }

  @Test
  void aMachineThatCannotBeKilledIsEndedOtherwise() {
    RunningVm vm =
        new GuardedRunningVm(
            Faults.of(RunningVm.class, Faults.Kind.EXCEPTION), recording(), Faults.SPEC);
    assertThrows(RametException.class, () -> vm.kill(Duration.ZERO));
    assertEquals(List.of("reap"), calls);
  }

  @Test
  void aMachineIsTheSameAfterAPause() {
    RunningVm[] real = new RunningVm[1];
    PausedVm paused =
        Faults.answering(PausedVm.class, name -> name.equals("resume") ? real[0] : null);
    real[0] = Faults.answering(RunningVm.class, Map.of("pause", paused));
    GuardedRunningVm vm = new GuardedRunningVm(real[0], recording(), Faults.SPEC);
    try (PausedVm stopped = vm.pause()) {
      assertSame(vm, stopped.resume());
      assertSame(vm, stopped.resume());
    }
  }

  @Test
  void aBrokenProbeIsAFailure() {
    for (Faults.Kind kind : KINDS) {
      StorageBackendProvider real = Faults.of(StorageBackendProvider.class, kind);
      GuardedProvider<?> provider =
          GuardedProvider.of(
              new Service.Found(
                  Service.ALL.get(0), "acme", real, FACTS, new Origin("acme", "", "", "", "")));
      ProbeResult result = provider.probe(new ProbeContext(Path.of("/")));
      assertInstanceOf(ProbeResult.Failed.class, result);
      assertThrows(
          RametException.class, () -> provider.open(new ProbeContext(Path.of("/"))).close());
      assertEquals("acme", provider.id());
    }
  }

  /** A storage provider with the given result of an examination. */
  private record Examining(Supplier<StorageBackend> answer)
      implements StorageBackendProvider, RootExamination {
    @Override
    public String id() {
      return "acme";
    }

    @Override
    public StorageFacts atBest() {
      return FACTS;
    }

    @Override
    public ProbeResult probe(ProbeContext where) {
      throw new AssertionError("nobody asks");
    }

    @Override
    public StorageBackend open(ProbeContext where) {
      throw new AssertionError("nobody asks");
    }

    @Override
    public StorageBackend examine(ProbeContext where) {
      return answer.get();
    }
  }

  private static RootExamination examination(StorageBackendProvider real) {
    return assertInstanceOf(
        RootExamination.class,
        GuardedProvider.of(
            new Service.Found(
                Service.ALL.get(0), "acme", real, FACTS, new Origin("acme", "", "", "", ""))));
  }

  @Test
  void aBrokenExaminationIsAnError() {
    ProbeContext where = new ProbeContext(Path.of("/"));
    List<Supplier<StorageBackend>> broken =
        List.of(
            () -> null,
            () -> {
              throw new IllegalStateException("broken");
            },
            // This backend cannot be inspected.
            () -> Faults.answering(StorageBackend.class, Map.of()));
    for (Supplier<StorageBackend> answer : broken) {
      RootExamination examination = examination(new Examining(answer));
      RametException e = assertThrows(RametException.class, () -> examination.examine(where));
      assertTrue(e.toString().contains("acme"), e.getMessage());
    }
    RootExamination without =
        examination(Faults.of(StorageBackendProvider.class, Faults.Kind.NULL));
    RametException e = assertThrows(RametException.class, () -> without.examine(where));
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
  }

  @Test
  void aBrokenProvisionerMakesNothing() {
    for (Faults.Kind kind : KINDS) {
      StorageProvisioner provisioner =
          new GuardedProvisioner(Faults.of(StorageProvisioner.class, kind), Faults.guard(), "acme");
      if (kind != Faults.Kind.KNOWN) {
        assertEquals(ProvisioningStatus.State.IMPOSSIBLE, provisioner.status(Path.of("/")).state());
      }
      assertThrows(RametException.class, () -> provisioner.provision(Path.of("/"), null));
      if (kind != Faults.Kind.NULL) {
        assertThrows(RametException.class, () -> provisioner.remove(Path.of("/")));
      }
      assertThrows(RametException.class, provisioner::backendId);
    }
  }
}
