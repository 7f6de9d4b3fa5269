// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.PAGE;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.VolumeReuse;
import dev.ramet.tck.storage.World;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Checks that a snapshot that becomes a volume keeps its content, and that no other node loses any.
 */
public abstract class ReuseChecks {
  /** Called by the kit. */
  protected ReuseChecks() {}

  public abstract World world();

  private boolean asked() {
    return world().backend() instanceof VolumeReuse;
  }

  private Node reuse(NodeId snapshot, NodeId id) {
    return ((VolumeReuse) world().backend()).reuse(snapshot, id);
  }

  private byte[] sealed(NodeId id) {
    byte[] content = new byte[(int) SIZE / 2];
    new Random(3).nextBytes(content);
    world().backend().create(id, SIZE);
    world().write(id, 0, content);
    world().backend().seal(id, Durability.DURABLE);
    return content;
  }

  @Test
  void aSnapshotBecomesAVolumeWithItsContent() {
    if (!asked()) {
      return;
    }
    byte[] content = sealed(V);
    Node volume = reuse(V, F);
    StorageBackend backend = world().backend();
    assertEquals(new Node(F, Node.Kind.VOLUME, F, SIZE), volume);
    assertEquals(volume, backend.find(F).orElseThrow());
    assertTrue(backend.find(V).isEmpty(), "the snapshot is gone");
    assertArrayEquals(
        content,
        world().bytes(F, 0, content.length),
        "the volume must hold what the snapshot held");
    byte[] page = new byte[PAGE];
    new Random(4).nextBytes(page);
    world().write(F, PAGE, page);
    System.arraycopy(page, 0, content, PAGE, PAGE);
    backend.seal(F, Durability.DURABLE);
    try {
      sealed(V);
    } catch (RametException e) {
      throw new AssertionError("the name of a reused snapshot is free again: " + e, e);
    }
    backend = world().reopen();
    assertEquals(Node.Kind.SNAPSHOT, backend.find(F).orElseThrow().kind());
    assertArrayEquals(content, world().bytes(F, 0, content.length));
    assertEquals(2, backend.list().size());
  }

  private void refused(String what, ErrorCode code, NodeId snapshot, NodeId id) {
    RametException refusal =
        assertThrows(RametException.class, () -> reuse(snapshot, id), "refuse to reuse " + what);
    assertEquals(code, refusal.code(), () -> "the code for reusing " + what + ": " + refusal);
  }

  @Test
  void whatOthersDescendFromIsNotReused() {
    if (!asked()) {
      return;
    }
    StorageBackend backend = world().backend();
    byte[] content = new byte[PAGE];
    new Random(5).nextBytes(content);
    backend.create(V, SIZE);
    world().write(V, 0, content);
    refused("a volume", ErrorCode.CONFLICT, V, F);
    backend.snapshot(V, S, Durability.DURABLE);
    refused("a snapshot that has an ancestor", ErrorCode.CONFLICT, S, F);
    backend.seal(V, Durability.DURABLE);
    refused("a snapshot that others descend from", ErrorCode.CONFLICT, V, F);
    sealed(T);
    refused("as a name that is taken", ErrorCode.ALREADY_EXISTS, T, S);
    refused("what is not there", ErrorCode.NOT_FOUND, NodeId.of("nothing"), F);
    backend = world().reopen();
    assertEquals(3, backend.list().size());
    for (NodeId id : new NodeId[] {V, S}) {
      assertEquals(Node.Kind.SNAPSHOT, backend.find(id).orElseThrow().kind());
      assertArrayEquals(content, world().bytes(id, 0, PAGE));
    }
  }
}
