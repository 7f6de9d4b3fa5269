// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static dev.ramet.backends.testing.Bytes.read;
import static dev.ramet.backends.testing.Bytes.refused;
import static dev.ramet.backends.testing.Bytes.tree;
import static dev.ramet.backends.testing.Bytes.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.RootExamination;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.spi.storage.Usage;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every file backend finds in, and makes of, a root that somebody left behind. */
public abstract class ReopenContract {
  private static final long SIZE = 1 << 20;
  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");

  @TempDir private Path dir;
  private Place place;
  private StorageBackend backend;

  /** The backend under test. */
  protected abstract StorageBackendProvider provider();

  /** A file system that suits it. */
  protected abstract LoopFs fileSystem(Path directory);

  @BeforeEach
  void open() {
    place = new Place(provider(), fileSystem(dir));
    backend = place.backend();
    backend.create(V, SIZE);
    write(backend, V, 3, '1');
    backend.snapshot(V, S, Durability.DURABLE);
  }

  @AfterEach
  void close() {
    // Not there on a host without what the backend needs.
    if (place != null) {
      place.close();
    }
  }

  @Test
  void everythingIsFoundAgain() throws Exception {
    List<Node> before = backend.list();
    backend = place.reopen();
    assertEquals(before, backend.list());
    assertEquals('1', read(backend, S, 3));
    refused(ErrorCode.ALREADY_EXISTS, () -> backend.create(S, SIZE));
  }

  @Test
  void anEmptyDirectoryIsRemoved() throws Exception {
    backend = place.reopen(volumes -> Files.createDirectory(volumes.resolve("empty")));
    assertFalse(Files.exists(place.volumes().resolve("empty")));
    backend.create(NodeId.of("empty"), SIZE);
  }

  @Test
  void childrenOutliveALostPrimary() throws Exception {
    backend = place.reopen(volumes -> Files.delete(volumes.resolve("v/v")));
    assertTrue(backend.find(V).isEmpty());
    assertEquals(new Node(S, Node.Kind.SNAPSHOT, V, SIZE), backend.find(S).orElseThrow());
    backend.fork(S, NodeId.of("f"), Durability.RELAXED);
    assertEquals('1', read(backend, NodeId.of("f"), 3));
    backend.delete(S);
    assertFalse(Files.exists(place.volumes().resolve("v")));
  }

  @Test
  void anEmptyFileIsACopyThatWasNotFinished() throws Exception {
    backend =
        place.reopen(
            volumes -> {
              Files.createFile(volumes.resolve("v/unfinished"), mode("rw-------"));
              Files.createDirectory(volumes.resolve("w"));
              Files.createFile(volumes.resolve("w/w"), mode("rw-------"));
            });
    assertEquals(".backend\nv\nv/s\nv/v", tree(place.volumes()).strip());
    assertEquals(2, backend.list().size());
  }

  private static FileAttribute<?> mode(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }

  @Test
  void whatWasBeingMadeIsRemoved() throws Exception {
    backend =
        place.reopen(
            volumes -> {
              Files.writeString(volumes.resolve("v/.new-x"), "half");
              Files.createDirectory(volumes.resolve(".new-y"));
              Files.writeString(volumes.resolve(".new-y/y"), "half");
            });
    assertEquals(".backend\nv\nv/s\nv/v", tree(place.volumes()).strip());
  }

  @Test
  void theSecondOfANameIsSkippedAndKept() throws Exception {
    backend =
        place.reopen(
            volumes -> {
              Files.createDirectory(volumes.resolve("w"));
              Files.writeString(volumes.resolve("w/w"), "w");
              Files.writeString(volumes.resolve("w/s"), "another s");
            });
    assertEquals(V, backend.find(S).orElseThrow().origin());
    assertEquals(3, backend.list().size());
    assertEquals("another s", Files.readString(place.volumes().resolve("w/s")));
  }

  @Test
  void foreignFilesAreLeftAlone() throws Exception {
    backend =
        place.reopen(
            volumes -> {
              Files.writeString(volumes.resolve("notes"), "mine");
              Files.writeString(volumes.resolve("v/.hidden"), "mine");
              Files.createDirectory(volumes.resolve("v/directory"));
              Files.createSymbolicLink(volumes.resolve("v/link"), Path.of("/etc/passwd"));
              Files.createSymbolicLink(volumes.resolve("linked"), Path.of("/etc"));
              Files.createFile(volumes.resolve("v/empty"), mode("rw-r--r--"));
              Files.writeString(volumes.resolve(".new-file"), "mine");
              Files.createDirectories(volumes.resolve(".new-tree/in"));
              Files.createDirectory(volumes.resolve(".new-y"));
              Files.writeString(volumes.resolve(".new-y/other"), "mine");
              Files.createDirectory(volumes.resolve("v/.new-z"));
              Files.createSymbolicLink(volumes.resolve("v/.new-link"), Path.of("/etc/passwd"));
            });
    assertEquals(List.of(S, V), backend.list().stream().map(Node::id).toList());
    refused(ErrorCode.ALREADY_EXISTS, () -> backend.create(NodeId.of("notes"), SIZE));
    refused(
        ErrorCode.ALREADY_EXISTS,
        () -> backend.snapshot(V, NodeId.of("directory"), Durability.RELAXED));
    backend.delete(V);
    backend.delete(S);
    assertEquals(
        ".backend\n.new-file\n.new-tree\n.new-tree/in\n.new-y\n.new-y/other\nlinked\nnotes\nv"
            + "\nv/.hidden\nv/.new-link\nv/.new-z\nv/directory\nv/empty\nv/link",
        tree(place.volumes()).strip());
  }

  private List<StorageFinding> inspect(boolean mend) {
    List<StorageFinding> found = new ArrayList<>();
    ((StorageInspection) backend).inspect(mend, found::add);
    return found;
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

  private static Map<Path, StorageFinding.Kind> kinds(List<StorageFinding> findings) {
    Map<Path, StorageFinding.Kind> kinds = new HashMap<>();
    findings.forEach(finding -> kinds.put(finding.path(), finding.kind()));
    return kinds;
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

  @Test
  void theMarkerDecidesWhoOpens() throws Exception {
    backend.close();
    Path marker = place.volumes().resolve(".backend");
    String mine = Files.readString(marker);
    assertEquals("backend=" + provider().id() + "\nformat=1\n", mine);
    String before = tree(place.volumes());
    Files.writeString(marker, "backend=another\nformat=1\n");
    refused(ErrorCode.CONFLICT, this::openAgain);
    Files.writeString(marker, "backend=" + provider().id() + "\nformat=2\n");
    refused(ErrorCode.CONFLICT, this::openAgain);
    for (String bad : List.of("", "backend=" + provider().id(), "format=1", "\\u00zz", "x\0")) {
      Files.writeString(marker, bad);
      refused(ErrorCode.CORRUPT, this::openAgain);
    }
    Files.delete(marker);
    refused(ErrorCode.CORRUPT, this::openAgain);
    Files.writeString(marker, mine);
    assertEquals(before, tree(place.volumes()));
    backend = place.reopen();
    assertEquals(2, backend.list().size());
  }

  @Test
  void aRootIsOpenOnce() {
    refused(ErrorCode.CONFLICT, this::openAgain);
    backend.create(NodeId.of("still"), SIZE);
  }

  @Test
  void aReadOnlyFileSystemIsTheHostsFault() throws Exception {
    // A file system with files that somebody may write does not become read-only.
    backend = place.reopen();
    place.fs().remount("ro");
    refused(ErrorCode.HOST_UNFIT, () -> backend.create(NodeId.of("x"), SIZE));
    refused(ErrorCode.HOST_UNFIT, () -> backend.delete(S));
    refused(ErrorCode.HOST_UNFIT, () -> backend.seal(V, Durability.RELAXED));
    assertEquals(2, backend.list().size());
    place.fs().remount("rw");
    assertEquals(Node.Kind.VOLUME, backend.find(V).orElseThrow().kind());
    backend.delete(S);
  }

  private void openAgain() {
    provider().open(new ProbeContext(place.fs().root())).close();
  }
}
