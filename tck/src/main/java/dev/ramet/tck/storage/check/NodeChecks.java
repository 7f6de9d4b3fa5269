// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.World;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that nodes are created, change their kind and report their properties. */
public abstract class NodeChecks {
  /** Called by the kit. */
  protected NodeChecks() {}

  public abstract World world();

  @Test
  void aNewVolumeIsZeroAndTakesNoSpace() {
    StorageBackend backend = world().backend();
    long size = 1L << 30;
    Node node = backend.create(V, size);
    assertEquals(new Node(V, Node.Kind.VOLUME, V, size), node);
    assertEquals(0, world().read(V, 0));
    assertEquals(0, world().read(V, size / World.PAGE - 1), "the last page must be readable");
    long used = backend.usage(V).referencedBytes();
    assertTrue(used <= 4 << 20, () -> "an empty volume takes " + used + " bytes: keep it sparse");
    Attachment attachment = backend.attach(V);
    Path path = attachment instanceof Attachment.Socket one ? one.socket() : attachment.path();
    assertTrue(path.isAbsolute(), "attach() must give an absolute path");
    assertFalse(attachment.readOnly(), "a volume is for writing");
    assertEquals(List.of(node), backend.list());
    assertEquals(node, backend.find(V).orElseThrow());
    assertEquals(
        new Node(S, Node.Kind.VOLUME, S, size),
        backend.create(S, size, Durability.RELAXED),
        "a volume is the same without being durable");
    assertEquals(0, world().read(S, size / World.PAGE - 1));
  }

  @Test
  void aSizeThatCannotBeIsRefused() {
    for (long size : new long[] {0, -1, Long.MIN_VALUE}) {
      world()
          .refusedWithoutTrace(
              ErrorCode.INVALID_ARGUMENT,
              "create with size " + size,
              () -> world().backend().create(V, size));
      world()
          .refusedWithoutTrace(
              ErrorCode.INVALID_ARGUMENT,
              "create with size " + size,
              () -> world().backend().create(V, size, Durability.RELAXED));
    }
  }

  @Test
  void snapshotsAndForksSayWhatTheyAre() {
    StorageBackend backend = world().backend();
    for (Durability durability : Durability.values()) {
      world().volume(V, '1');
      assertEquals(new Node(S, Node.Kind.SNAPSHOT, V, SIZE), backend.snapshot(V, S, durability));
      assertTrue(backend.attach(S).readOnly(), "a snapshot's attachment is read-only");
      assertEquals(
          V, backend.snapshot(S, T, durability).origin(), "the origin is the *ultimate* ancestor");
      assertEquals(new Node(F, Node.Kind.VOLUME, F, SIZE), backend.fork(T, F, durability));
      assertFalse(backend.attach(F).readOnly(), "a fork is for writing");
      NodeId g = NodeId.of("g");
      assertEquals(F, backend.snapshot(F, g, durability).origin(), "a fork is its own origin");
      assertEquals(List.of(F, g, S, T, V), backend.list().stream().map(Node::id).toList());
      world().deleteAll("after snapshots and forks");
    }
  }

  @Test
  void sealingKeepsTheNameAndMakesASnapshot() {
    StorageBackend backend = world().backend();
    for (Durability durability : Durability.values()) {
      world().volume(V, '1');
      Node sealed = backend.seal(V, durability);
      assertEquals(new Node(V, Node.Kind.SNAPSHOT, V, SIZE), sealed);
      assertEquals(sealed, backend.seal(V, durability), "sealing again does nothing");
      assertTrue(backend.attach(V).readOnly(), "what is sealed is read-only");
      backend.fork(V, F, durability);
      assertEquals('1', world().read(F, 3));
      assertEquals(V, backend.snapshot(V, S, durability).origin());
      world().deleteAll("after sealing");
    }
  }

  @Test
  void whatIsAbsentOrOfTheWrongKindIsRefused() {
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    Durability relaxed = Durability.RELAXED;
    refusal(ErrorCode.NOT_FOUND, "snapshot of nothing", () -> backend.snapshot(T, S, relaxed));
    refusal(ErrorCode.NOT_FOUND, "fork of nothing", () -> backend.fork(T, S, relaxed));
    refusal(ErrorCode.NOT_FOUND, "seal of nothing", () -> backend.seal(T, relaxed));
    refusal(ErrorCode.NOT_FOUND, "attach of nothing", () -> backend.attach(T));
    refusal(ErrorCode.NOT_FOUND, "flush of nothing", () -> backend.flush(T));
    refusal(ErrorCode.NOT_FOUND, "write back of nothing", () -> backend.writeBack(T));
    refusal(ErrorCode.NOT_FOUND, "usage of nothing", () -> backend.usage(T));
    refusal(ErrorCode.CONFLICT, "fork of a volume", () -> backend.fork(V, F, relaxed));
    refusal(ErrorCode.ALREADY_EXISTS, "create twice", () -> backend.create(V, SIZE));
    refusal(
        ErrorCode.ALREADY_EXISTS,
        "a snapshot named as its volume",
        () -> backend.snapshot(V, V, relaxed));
    refusal(
        ErrorCode.NOT_FOUND,
        "import of an absent file",
        () -> backend.importFrom(T, world().scratch().resolve("absent")));
    refusal(
        ErrorCode.INVALID_ARGUMENT,
        "import of a directory",
        () -> backend.importFrom(T, world().scratch()));
    assertTrue(backend.find(T).isEmpty());
    backend.delete(T);
    world().deleteAll("after refusals");
  }

  private void refusal(ErrorCode code, String what, Runnable call) {
    world().refusedWithoutTrace(code, what, call);
  }

  @Test
  void pagesMakeUpTheList() {
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    for (int i = 0; i < 25; i++) {
      backend.snapshot(V, NodeId.of("n" + i), Durability.RELAXED);
    }
    List<Node> all = backend.list();
    for (int limit : new int[] {1, 7, 26, 1000}) {
      List<Node> pages = new ArrayList<>();
      List<Node> page = backend.page(null, limit);
      while (!page.isEmpty()) {
        assertTrue(page.size() <= limit, "a page has at most so many nodes as asked for");
        pages.addAll(page);
        page = backend.page(page.get(page.size() - 1).id(), limit);
      }
      assertEquals(all, pages, "the pages must make up the list");
    }
    assertEquals(
        all.subList(1, 3), backend.page(NodeId.of(all.get(0).id().value()), 2), "pages are sorted");
    World.refused(ErrorCode.INVALID_ARGUMENT, "a page of 0", () -> backend.page(null, 0));
  }

  @Test
  void aClosedBackendRefuses() {
    StorageBackend backend = world().backend();
    String traces = world().harness().traces();
    backend.close();
    backend.close();
    World.refused(ErrorCode.UNAVAILABLE, "create after close", () -> backend.create(V, SIZE));
    World.refused(ErrorCode.UNAVAILABLE, "list after close", backend::list);
    World.refused(ErrorCode.UNAVAILABLE, "page after close", () -> backend.page(null, 1));
    World.refused(ErrorCode.UNAVAILABLE, "delete after close", () -> backend.delete(V));
    assertEquals(traces, world().harness().traces(), "a closed backend must change nothing");
  }
}
