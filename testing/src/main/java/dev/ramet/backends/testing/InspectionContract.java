// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static dev.ramet.backends.testing.Bytes.refused;
import static dev.ramet.backends.testing.Bytes.tree;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.root.RootExamination;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what every file backend reports and repairs in a root that it has open or examines. */
public abstract class InspectionContract extends RootContract {
  private List<StorageFinding> inspect(boolean mend) {
    List<StorageFinding> found = new ArrayList<>();
    ((StorageInspection) backend).inspect(mend, found::add);
    return found;
  }

  private static Map<Path, StorageFinding.Kind> kinds(List<StorageFinding> findings) {
    Map<Path, StorageFinding.Kind> kinds = new HashMap<>();
    findings.forEach(finding -> kinds.put(finding.path(), finding.kind()));
    return kinds;
  }

  @Test
  void anInspectionOfAnOpenRootTellsAllAndMendsLeftoversOnly() throws Exception {
    assertEquals(List.of(), inspect(false));
    Path volumes = place.volumes();
    Path notes = Files.writeString(volumes.resolve("notes"), "mine");
    Path tree = Files.createDirectories(volumes.resolve(".new-tree/in")).getParent();
    Path put = Files.writeString(volumes.resolve("v/put"), "mine");
    Path other = Files.createDirectories(volumes.resolve("w"));
    Path twice = Files.writeString(other.resolve("s"), "another s");
    Path half = Files.createDirectory(volumes.resolve(".new-y"));
    Files.writeString(half.resolve("y"), "half");
    Path quarter = Files.writeString(volumes.resolve("v/.new-x"), "half");
    Path empty = Files.createDirectory(volumes.resolve("empty"));
    Files.delete(volumes.resolve("v/s"));
    String before = tree(volumes);
    Map<Path, StorageFinding.Kind> expected =
        Map.of(
            notes,
            StorageFinding.Kind.FOREIGN,
            tree,
            StorageFinding.Kind.FOREIGN,
            put,
            StorageFinding.Kind.FOREIGN,
            twice,
            StorageFinding.Kind.FOREIGN,
            half,
            StorageFinding.Kind.LEFTOVER,
            quarter,
            StorageFinding.Kind.LEFTOVER,
            empty,
            StorageFinding.Kind.LEFTOVER,
            volumes.resolve("v/s"),
            StorageFinding.Kind.DAMAGE);
    assertEquals(expected, kinds(inspect(false)));
    assertEquals(before, tree(volumes));
    assertEquals(expected, kinds(inspect(true)));
    for (Path gone : List.of(half, quarter, empty)) {
      assertFalse(Files.exists(gone), gone.toString());
    }
    assertEquals(5, inspect(true).size());
    backend.create(NodeId.of("y"), SIZE);
    backend.create(NodeId.of("empty"), SIZE);
  }

  @Test
  void anInspectionDoesNotMindWhatIsMadeAndDeletedMeanwhile() throws Exception {
    Thread worker =
        new Thread(
            () -> {
              for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                NodeId snapshot = NodeId.of("t" + i % 7);
                NodeId volume = NodeId.of("u" + i % 5);
                backend.snapshot(V, snapshot, Durability.RELAXED);
                backend.create(volume, SIZE);
                backend.delete(snapshot);
                backend.delete(volume);
              }
            });
    worker.start();
    try {
      for (int i = 0; i < 300; i++) {
        assertEquals(List.of(), inspect(true));
      }
      assertTrue(worker.isAlive(), "the inspection got in its way");
    } finally {
      worker.interrupt();
      worker.join();
    }
  }

  /** Closes the root, lets something happen to it, and opens it only to be looked at. */
  private StorageBackend examine(Place.Tampering tampering) throws Exception {
    backend.close();
    tampering.run(place.volumes());
    RootExamination examination = assertInstanceOf(RootExamination.class, provider());
    backend = examination.examine(new ProbeContext(place.fs().root()));
    return backend;
  }

  @Test
  void aRootThatIsOnlyLookedAtHasItsNodesAndStaysAsItIs() throws Exception {
    List<Node> nodes = backend.list();
    Usage usage = backend.usage(S);
    String before = tree(place.fs().root());
    examine(volumes -> {});
    assertEquals(nodes, backend.list());
    assertEquals(nodes, backend.page(null, 10));
    assertEquals(usage, backend.usage(S));
    assertEquals(List.of(), inspect(true));
    refused(ErrorCode.CONFLICT, () -> provider().open(new ProbeContext(place.fs().root())));
    refused(ErrorCode.UNSUPPORTED, () -> backend.create(NodeId.of("n"), SIZE));
    refused(ErrorCode.UNSUPPORTED, () -> backend.fork(S, NodeId.of("n"), Durability.DURABLE));
    backend.delete(NodeId.of("absent"));
    backend.close();
    refused(ErrorCode.UNAVAILABLE, () -> backend.find(S));
    assertEquals(before, tree(place.fs().root()));
    backend = place.reopen();
    assertEquals(nodes, backend.list());
  }

  @Test
  void whatAnOpeningWouldClearAwayIsALeftoverWhereARootIsLookedAt() throws Exception {
    examine(
        volumes -> {
          Files.writeString(volumes.resolve("v/.new-x"), "half");
          Files.createDirectory(volumes.resolve(".new-y"));
          Files.writeString(volumes.resolve(".new-y/y"), "half");
          Files.createDirectory(volumes.resolve("empty"));
          Files.createFile(volumes.resolve("v/unfinished"), mode("rw-------"));
          Files.writeString(volumes.resolve(".new-.backend"), "back");
          Files.writeString(volumes.resolve("notes"), "mine");
          Files.createFile(volumes.resolve("v/empty"), mode("rw-r--r--"));
        });
    Path volumes = place.volumes();
    Map<Path, StorageFinding.Kind> expected =
        Map.of(
            volumes.resolve("v/.new-x"), StorageFinding.Kind.LEFTOVER,
            volumes.resolve(".new-y"), StorageFinding.Kind.LEFTOVER,
            volumes.resolve("empty"), StorageFinding.Kind.LEFTOVER,
            volumes.resolve("v/unfinished"), StorageFinding.Kind.LEFTOVER,
            volumes.resolve(".new-.backend"), StorageFinding.Kind.LEFTOVER,
            volumes.resolve("notes"), StorageFinding.Kind.FOREIGN,
            volumes.resolve("v/empty"), StorageFinding.Kind.FOREIGN);
    String before = tree(volumes);
    assertEquals(expected, kinds(inspect(false)));
    assertEquals(before, tree(volumes));
    assertEquals(expected, kinds(inspect(true)));
    assertEquals(".backend\nnotes\nv\nv/empty\nv/s\nv/v", tree(volumes).strip());
    assertEquals(2, inspect(true).size());
  }

  @Test
  void aRootWhoseMarkerOrVolumesAreGoneCanBeLookedAt() throws Exception {
    examine(volumes -> Files.delete(volumes.resolve(".backend")));
    assertEquals(
        Map.of(place.volumes().resolve(".backend"), StorageFinding.Kind.DAMAGE),
        kinds(inspect(true)));
    assertEquals(2, backend.list().size());
    backend.close();
    Path away = place.volumes().resolveSibling("away");
    Files.move(place.volumes(), away);
    RootExamination examination = (RootExamination) provider();
    backend = examination.examine(new ProbeContext(place.fs().root()));
    assertEquals(List.of(), backend.list());
    assertEquals(
        Map.of(place.volumes().resolve(".backend"), StorageFinding.Kind.DAMAGE),
        kinds(inspect(true)));
    assertFalse(Files.exists(place.volumes()), "nothing is made");
  }

  @Test
  void aRootOfAnotherBackendIsNotLookedAt() throws Exception {
    backend.close();
    Path marker = place.volumes().resolve(".backend");
    String own = Files.readString(marker);
    Files.writeString(marker, "backend=another\nformat=1\n");
    RootExamination examination = (RootExamination) provider();
    refused(ErrorCode.CONFLICT, () -> examination.examine(new ProbeContext(place.fs().root())));
    Files.writeString(marker, own);
    backend = place.reopen();
  }
}
