// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.U;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.ramet.errors.ErrorCode;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.root.RootExamination;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.support.Traces;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Checks that a root opened for examination shows the same as an open one, and stays as it is. */
public abstract class ExaminationChecks {
  /** Called by the kit. */
  protected ExaminationChecks() {}

  private static final NodeId ABSENT = NodeId.of("absent");

  public abstract World world();

  /** Everything that can be observed of a root. */
  private record Sight(
      List<Node> nodes,
      List<Node> pages,
      List<Optional<Node>> found,
      Map<NodeId, Usage> usages,
      List<StorageFinding> findings) {
    static Sight of(StorageBackend backend) {
      List<Node> nodes = backend.list();
      List<Node> pages = new ArrayList<>();
      List<Node> page = backend.page(null, 2);
      while (!page.isEmpty()) {
        pages.addAll(page);
        page = backend.page(page.get(page.size() - 1).id(), 2);
      }
      List<Optional<Node>> found = new ArrayList<>();
      Map<NodeId, Usage> usages = new TreeMap<>();
      for (Node node : nodes) {
        found.add(backend.find(node.id()));
        usages.put(node.id(), backend.usage(node.id()));
      }
      found.add(backend.find(ABSENT));
      List<StorageFinding> findings = new ArrayList<>();
      if (backend instanceof StorageInspection inspection) {
        inspection.inspect(false, findings::add);
        inspection.inspect(true, findings::add);
      }
      return new Sight(nodes, pages, found, usages, findings);
    }
  }

  private void fill() {
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    backend.snapshot(V, S, Durability.DURABLE);
    world().write(V, 5, '2');
    backend.snapshot(S, T, Durability.DURABLE);
    backend.fork(S, F, Durability.DURABLE);
    world().write(F, 4, 'f');
    world().volume(U, 'u');
    backend.seal(U, Durability.DURABLE);
    backend.list().forEach(node -> backend.flush(node.id()));
    world().harness().traces(); // Waits for background work, if there is any.
  }

  private String content() {
    return world().harness().traces() + "\n" + Traces.withContent(world().harness().root());
  }

  @Test
  void aRootThatIsOnlyLookedAtShowsWhatAnOpenOneDoesAndStaysAsItIs() {
    StorageBackendProvider provider = world().harness().provider();
    if (!(provider instanceof RootExamination examination)) {
      return;
    }
    fill();
    var state = world().state();
    Sight opened = Sight.of(world().backend());
    world().backend().close();
    String before = content();
    try (StorageBackend examined = examination.examine(world().harness().context())) {
      assertInstanceOf(
          StorageInspection.class, examined, "a root that is looked at can be inspected");
      assertEquals(
          opened, Sight.of(examined), "a root must look the same whether it is open or looked at");
      World.refused(ErrorCode.NOT_FOUND, "the usage of no node", () -> examined.usage(ABSENT));
      examined.delete(ABSENT);
      World.refused(
          ErrorCode.CONFLICT,
          "opening a root that somebody looks at",
          () -> world().open().close());
    }
    assertEquals(before, content(), "to look at a root must change nothing in it");
    world().use(world().open());
    assertEquals(state, world().state(), "a root that was looked at opens as it was");
  }
}
