// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
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
import dev.ramet.spi.storage.Usage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Breaks each call of each contract in each way, and checks the outcome. */
final class GuardTest extends GuardGround {
  private static final GuestMemory MEMORY = new GuestMemory(1, 1 << 20, List.of());
  private static final NodeId N = NodeId.of("n");

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
}
