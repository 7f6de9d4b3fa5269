// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.errors.ErrorCode;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.World;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Checks that the content of a root outlives the process that opened it, and that only one opener
 * has it at a time.
 */
public abstract class ReopenChecks {
  /** Called by the kit. */
  protected ReopenChecks() {}

  public abstract World world();

  private void fill() {
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    backend.snapshot(V, S, Durability.DURABLE);
    backend.snapshot(S, T, Durability.RELAXED);
    backend.fork(S, F, Durability.RELAXED);
    world().write(F, 4, 'f');
    world().volume(NodeId.of("sealed"), '2');
    backend.seal(NodeId.of("sealed"), Durability.DURABLE);
  }

  @Test
  void everythingIsFoundAgain() {
    fill();
    var before = world().state();
    world().backend().flush(F);
    world().backend().flush(T);
    world().reopen();
    assertEquals(before, world().state(), "reopening must find every node as it was");
    World.refused(
        ErrorCode.ALREADY_EXISTS,
        "a name from before the reopening",
        () -> world().backend().create(S, SIZE));
    world().backend().delete(V);
    var without = world().state();
    world().reopen();
    assertEquals(without, world().state(), "what was deleted must stay deleted");
    World.refused(
        ErrorCode.ALREADY_EXISTS,
        "the name of a deleted origin, after a reopening",
        () -> world().backend().create(V, SIZE));
    world().deleteAll("after a reopening");
  }

  @Test
  void reopeningChangesNothing() {
    fill();
    world().reopen();
    String traces = world().harness().traces();
    world().reopen();
    assertEquals(traces, world().harness().traces(), "open() must not change a tidy root");
  }

  @Test
  void aRootIsOpenOnce() {
    fill();
    World.refused(ErrorCode.CONFLICT, "opening a root that is open", () -> world().open().close());
    world().backend().create(NodeId.of("still"), SIZE);
  }

  @Test
  void aRootBehindASymbolicLinkIsTheSameRoot() throws Exception {
    fill();
    var before = world().state();
    world().backend().close();
    Path link =
        Files.createSymbolicLink(world().scratch().resolve("link"), world().harness().root());
    StorageBackend linked =
        world()
            .harness()
            .provider()
            .open(new ProbeContext(link, world().harness().context().settings()));
    world().use(linked);
    assertEquals(before, world().state(), "a root must be usable through a symbolic link");
    World.refused(
        ErrorCode.CONFLICT,
        "opening a root that is open under another name",
        () -> world().open().close());
    world().volume(NodeId.of("through-the-link"), '3');
    world().reopen();
    assertEquals('3', world().read(NodeId.of("through-the-link"), 3));
  }
}
