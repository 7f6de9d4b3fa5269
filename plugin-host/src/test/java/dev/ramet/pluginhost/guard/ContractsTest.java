// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.Facts;
import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.DiskWriteLog;
import dev.ramet.spi.hypervisor.DiskWrites;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.memory.DirtyLog;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.DirectorySnapshots;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.ImageCompaction;
import dev.ramet.spi.storage.ImageTransfer;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.RemoteImages;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.spi.storage.TreeStreams;
import dev.ramet.spi.storage.VolumeReuse;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.root.RootExamination;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests that every contract has a guard, and that every call of a capability is checked. */
final class ContractsTest {
  private static final NodeId N = NodeId.of("n");

  /** Capabilities and the contracts of the objects that have them. */
  private static final Map<Class<?>, Class<?>> CAPABILITIES =
      Map.ofEntries(
          Map.entry(Growable.class, StorageBackend.class),
          Map.entry(ImageTransfer.class, StorageBackend.class),
          Map.entry(CopyPreparation.class, StorageBackend.class),
          Map.entry(ImageCompaction.class, StorageBackend.class),
          Map.entry(VolumeReuse.class, StorageBackend.class),
          Map.entry(DirectorySnapshots.class, StorageBackend.class),
          Map.entry(TreeStreams.class, StorageBackend.class),
          Map.entry(StorageInspection.class, StorageBackend.class),
          Map.entry(RemoteImages.class, StorageBackend.class),
          Map.entry(DiskWrites.class, RunningVm.class),
          Map.entry(DiskWriteLog.class, RunningVm.class),
          Map.entry(StopsOnDiskError.class, RunningVm.class));

  /** Contracts that {@link GuardTest} breaks call by call. */
  private static final Set<Class<?>> BROKEN_BY_HAND =
      Set.of(
          Provider.class,
          HypervisorProvider.class,
          MemoryModeProvider.class,
          StorageBackendProvider.class,
          StorageProvisioner.class,
          RootExamination.class,
          StorageBackend.class,
          MemoryMode.class,
          MemoryTracker.class,
          LiveTracker.class,
          DirtyLog.class,
          Hypervisor.class,
          RunningVm.class,
          PausedVm.class,
          SavingVm.class);

  /** Interfaces that the engine implements for plugins. */
  private static final Set<Class<?>> OURS = Set.of(CopyProgress.class, WriteLog.class);

  @Test
  void everyInterfaceOfTheContractsIsBrokenByATest() throws Exception {
    Set<Class<?>> tested = new HashSet<>(CAPABILITIES.keySet());
    tested.addAll(BROKEN_BY_HAND);
    tested.addAll(OURS);
    tested.add(Facts.class); // The host accepts none but those of the contracts' own records.
    Set<String> untested = new TreeSet<>();
    for (Class<?> type : interfaces()) {
      if (!tested.contains(type)) {
        untested.add(type.getName());
      }
    }
    assertEquals(Set.of(), untested, "guard them, and break their calls here or in GuardTest");
  }

  private static List<Class<?>> interfaces() throws Exception {
    URI where = StorageBackend.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    Path place = Path.of(where);
    if (Files.isDirectory(place)) {
      return interfaces(place);
    }
    try (FileSystem jar = FileSystems.newFileSystem(place)) {
      return interfaces(jar.getPath("/"));
    }
  }

  private static List<Class<?>> interfaces(Path classes) throws IOException {
    List<String> names;
    try (Stream<Path> files = Files.walk(classes)) {
      names =
          files
              .map(file -> classes.relativize(file).toString())
              .filter(file -> file.startsWith("dev/ramet/spi/") && file.endsWith(".class"))
              .filter(file -> !file.endsWith("-info.class"))
              .map(file -> file.substring(0, file.length() - 6).replace('/', '.'))
              .toList();
    }
    List<Class<?>> found = new ArrayList<>();
    for (String name : names) {
      try {
        Class<?> type = Class.forName(name);
        if (type.isInterface() && !type.isSealed()) {
          found.add(type);
        }
      } catch (ClassNotFoundException e) {
        throw new AssertionError(e);
      }
    }
    assertTrue(found.size() > 20, found::toString);
    return found;
  }

  private static <C> C guarded(Object plugged, Class<C> capability) {
    Object object =
        CAPABILITIES.get(capability) == StorageBackend.class
            ? new GuardedStorage((StorageBackend) plugged, Faults.guard())
            : new GuardedRunningVm(
                (RunningVm) plugged,
                new GuardedHypervisor(
                    Faults.recording(Hypervisor.class, new ArrayList<>()), Faults.guard()),
                Faults.SPEC);
    return Objects.requireNonNull(Capability.guarded(object, capability));
  }

  @TestFactory
  Stream<DynamicTest> eachCallOfACapabilityInEachWay() {
    List<DynamicTest> tests = new ArrayList<>();
    CAPABILITIES.forEach(
        (capability, contract) -> {
          for (Faults.Kind kind : Faults.Kind.values()) {
            Arrays.stream(capability.getMethods())
                .filter(method -> !method.getReturnType().isPrimitive() || !isNull(kind))
                .forEach(method -> tests.add(test(capability, contract, method, kind)));
          }
        });
    return tests.stream();
  }

  private static boolean isNull(Faults.Kind kind) {
    return kind == Faults.Kind.NULL;
  }

  private static DynamicTest test(
      Class<?> capability, Class<?> contract, Method method, Faults.Kind kind) {
    return DynamicTest.dynamicTest(
        capability.getSimpleName() + "." + method.getName() + ", " + kind,
        () -> {
          Object faulty = guarded(Faults.with(contract, capability, kind), capability);
          RametException e = assertThrows(RametException.class, () -> Faults.call(faulty, method));
          boolean known = kind == Faults.Kind.KNOWN;
          assertEquals(known ? ErrorCode.CONFLICT : ErrorCode.INTERNAL, e.code());
          assertTrue(known || String.valueOf(e.getMessage()).contains("plugin acme"), e::toString);
        });
  }

  @Test
  void aCapabilityIsThereIfTheBackendHasIt() {
    StorageBackend without =
        new GuardedStorage(Faults.answering(StorageBackend.class, Map.of()), Faults.guard());
    assertNull(Capability.guarded(without, Growable.class));
    Node node = new Node(N, Node.Kind.VOLUME, N, 5);
    assertEquals(node, answering(Growable.class, "grow", node).grow(N, 5));
    assertEquals(
        Set.of("volumes"),
        answering(StorageInspection.class, "ownNames", Set.of("volumes")).ownNames());
  }

  private static <C> C answering(Class<C> capability, String call, Object answer) {
    return guarded(
        Faults.answering(
            Objects.requireNonNull(CAPABILITIES.get(capability)), capability, Map.of(call, answer)),
        capability);
  }

  private static void broken(Runnable call) {
    RametException e = assertThrows(RametException.class, call::run);
    assertEquals(ErrorCode.INTERNAL, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("plugin acme"), e::toString);
  }

  @Test
  void whatACapabilityAnswersIsWhatItsContractAllows() {
    Node other = new Node(NodeId.of("other"), Node.Kind.VOLUME, NodeId.of("other"), 5);
    Node snapshot = new Node(N, Node.Kind.SNAPSHOT, N, 5);
    NodeId given = NodeId.of("given");
    broken(() -> answering(Growable.class, "grow", other).grow(N, 5));
    broken(() -> answering(Growable.class, "grow", snapshot).grow(N, 5));
    broken(() -> answering(VolumeReuse.class, "reuse", other).reuse(given, N));
    broken(() -> answering(DirectorySnapshots.class, "treePath", Path.of("x")).treePath(N));
    broken(() -> answering(DirectorySnapshots.class, "trees", Arrays.asList(N, null)).trees());
    broken(() -> answering(DirectorySnapshots.class, "trees", new BrokenList<NodeId>()).trees());
    broken(() -> answering(DiskWrites.class, "diskWrites", -1L).diskWrites());
    broken(() -> answering(RemoteImages.class, "residentBytes", -1L).residentBytes(N));
    MemorySource.FaultHandler relative = new MemorySource.FaultHandler(Path.of("x"));
    broken(() -> answering(RemoteImages.class, "attachMemory", relative).attachMemory(N));
    assertEquals(
        "n",
        answering(DirectorySnapshots.class, "trees", List.of(N)).trees().stream()
            .map(NodeId::value)
            .collect(Collectors.joining()));
  }

  /** A list that returns its size but throws when it is read. */
  static final class BrokenList<T> extends java.util.AbstractList<T> {
    @Override
    public T get(int index) {
      throw new IllegalStateException("a defect");
    }

    @Override
    public int size() {
      return 1;
    }
  }
}
