// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static dev.ramet.backends.testing.Bytes.read;
import static dev.ramet.backends.testing.Bytes.refused;
import static dev.ramet.backends.testing.Bytes.tree;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.root.RootExamination;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how every file backend opens a root that an earlier process left behind. */
public abstract class ReopenContract extends RootContract {
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
      corrupt(marker);
    }
    Files.write(marker, new byte[] {'b', (byte) 0xff, (byte) 0xc0, '\n'});
    corrupt(marker);
    Files.delete(marker);
    Files.createDirectory(marker);
    corrupt(marker);
    Files.delete(marker);
    refused(ErrorCode.CORRUPT, this::openAgain);
    Files.writeString(marker, mine);
    assertEquals(before, tree(place.volumes()));
    backend = place.reopen();
    assertEquals(2, backend.list().size());
  }

  /** An unreadable marker is refused both by opening and by examining the root. */
  private void corrupt(Path marker) {
    ProbeContext where = new ProbeContext(place.fs().root());
    for (RametException e :
        List.of(
            refused(ErrorCode.CORRUPT, this::openAgain),
            refused(
                ErrorCode.CORRUPT,
                () -> assertInstanceOf(RootExamination.class, provider()).examine(where)))) {
      assertTrue(String.valueOf(e.getMessage()).contains(marker.toString()), e.getMessage());
      assertTrue(
          String.valueOf(e.remedy()).contains("backend=" + provider().id()),
          "say what it must hold");
    }
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
