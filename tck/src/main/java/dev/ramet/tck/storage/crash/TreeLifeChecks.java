// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.U;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.DirectorySnapshots;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.TreeStreams;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.storage.check.NameHistory;
import dev.ramet.tck.support.Threads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Checks directory trees that are created and deleted concurrently, and trees whose backend is
 * killed.
 */
public abstract class TreeLifeChecks {
  /** Called by the kit. */
  protected TreeLifeChecks() {}

  private static final int THREADS = 8;

  /**
   * So few that the last tree is deleted often, and with it everything the backend keeps for all of
   * them.
   */
  private static final List<NodeId> FEW = List.of(NodeId.of("t0"), NodeId.of("t1"));

  public abstract World world();

  private DirectorySnapshots trees() {
    return (DirectorySnapshots) world().backend();
  }

  @Test
  void manyThreadsOnFewTreesLeaveWhatTheySay() throws Exception {
    if (!(world().backend() instanceof DirectorySnapshots)) {
      return;
    }
    NameHistory history = new NameHistory();
    for (int round = 0; round < 4; round++) {
      int seed = round * THREADS;
      Threads.run(THREADS, thread -> act(history, new Random(seed + thread), 20, 5));
      demand(history);
      Threads.run(THREADS, thread -> act(history, new Random(seed + thread), 3, 3));
      demand(history);
    }
    List<NodeId> left = trees().trees();
    world().reopen();
    assertEquals(left, trees().trees(), "reopening must find what the threads left");
    deleteAll("after threads on few trees");
  }

  /**
   * Performs random operations of the given number of kinds; the fourth and fifth kinds are
   * deletions.
   */
  private void act(NameHistory history, Random random, int times, int kinds) {
    DirectorySnapshots trees = trees();
    for (int i = 0; i < times; i++) {
      NodeId id = FEW.get(random.nextInt(FEW.size()));
      NodeId from = FEW.get(random.nextInt(FEW.size()));
      int kind = random.nextInt(kinds);
      try {
        switch (kind) {
          case 0, 1 -> history.make(id, () -> trees.createTree(id));
          case 2 -> history.make(id, () -> trees.snapshotTree(from, id, true));
          default -> history.delete(id, () -> trees.deleteTree(id));
        }
      } catch (RametException e) {
        boolean taken = e.code() == ErrorCode.ALREADY_EXISTS && kind <= 2;
        boolean gone = e.code() == ErrorCode.NOT_FOUND && kind == 2;
        if (!taken && !gone) {
          throw new AssertionError(
              "no other thread explains that a tree cannot be " + (kind <= 2 ? "made" : "deleted"),
              e);
        }
      }
    }
  }

  private void demand(NameHistory history) {
    List<NodeId> there = trees().trees();
    for (NodeId id : FEW) {
      String objection = history.objection(id, there.contains(id));
      assertNull(objection, objection);
    }
  }

  /**
   * A change to trees.
   *
   * @param name for people
   * @param trees the trees at first, as {@link #prepare} creates them
   * @param call makes the change
   */
  private record Change(String name, List<NodeId> trees, Mutation.Call call) {}

  private static List<Change> changes(World world) throws IOException {
    List<Change> all = new ArrayList<>();
    all.add(new Change("make the first tree", List.of(), on(trees -> trees.createTree(U))));
    all.add(new Change("make a tree", List.of(V), on(trees -> trees.createTree(U))));
    all.add(new Change("capture", List.of(V), on(trees -> trees.snapshotTree(V, U, true))));
    all.add(new Change("copy", List.of(V, S), on(trees -> trees.snapshotTree(S, U, false))));
    all.add(new Change("delete a tree", List.of(V, S), on(trees -> trees.deleteTree(V))));
    all.add(new Change("delete the last tree", List.of(V), on(trees -> trees.deleteTree(V))));
    if (world.backend() instanceof TreeStreams streams) {
      prepare(streams, List.of(V, S));
      Path stream = world.scratch().resolve("stream");
      streams.sendTree(S, null, stream);
      streams.deleteTree(V);
      streams.deleteTree(S);
      all.add(
          new Change(
              "receive", List.of(), backend -> ((TreeStreams) backend).receiveTree(stream, U)));
    }
    return all;
  }

  private interface OnTrees {
    void run(DirectorySnapshots trees);
  }

  private static Mutation.Call on(OnTrees change) {
    return backend -> change.run((DirectorySnapshots) backend);
  }

  /** Creates a tree with the first name, and copies of it with the others. */
  private static void prepare(DirectorySnapshots trees, List<NodeId> ids) throws IOException {
    for (NodeId id : ids) {
      if (id.equals(V)) {
        Files.writeString(trees.createTree(V).resolve("file"), "content");
      } else {
        trees.snapshotTree(V, id, true);
      }
    }
  }

  @Test
  void aKillAtAnyStepLeavesATreeDoneOrNotDone() throws Exception {
    if (!(world().backend() instanceof DirectorySnapshots)) {
      return;
    }
    StepControl steps = CrashChecks.steps(world());
    for (Change change : changes(world())) {
      prepare(trees(), change.trees());
      Map<NodeId, String> before = state();
      world().backend().close();
      int opening = CrashChecks.killed(steps, Killer.NEVER, backend -> {});
      int total = CrashChecks.killed(steps, Killer.NEVER, change.call());
      assertTrue(total > opening, () -> "no step of it was announced: " + change.name());
      world().use(world().open());
      Map<NodeId, String> after = state();
      deleteAll("after " + change.name());
      for (int step = opening; step < total; step++) {
        String where = change.name() + ", killed before step " + (step - opening);
        prepare(trees(), change.trees());
        world().backend().close();
        CrashChecks.killed(steps, step, change.call());
        // Each recovery continues from where the previous one was killed.
        for (int again = 0; CrashChecks.killedInRecovery(steps, again) == again; again++) {}
        world().use(world().open());
        demand(before, after, change, where);
      }
    }
  }

  private void demand(
      Map<NodeId, String> before, Map<NodeId, String> after, Change change, String where)
      throws IOException {
    Map<NodeId, String> found = state();
    assertTrue(
        found.equals(before) || found.equals(after),
        () ->
            "after a crash a change of trees must be done or not done: %s: found %s, not %s or %s"
                .formatted(where, found, before, after));
    if (!found.equals(after)) {
      change.call().on(world().backend());
      assertEquals(after, state(), () -> "done again after a crash: " + where);
    }
    deleteAll("after " + where);
  }

  /** Returns all trees with their content. */
  private Map<NodeId, String> state() throws IOException {
    Map<NodeId, String> state = new TreeMap<>();
    for (NodeId id : trees().trees()) {
      Path tree = trees().treePath(id);
      StringBuilder content = new StringBuilder();
      try (var files = Files.walk(tree)) {
        for (Path path : files.sorted().toList()) {
          content.append(tree.relativize(path)).append(' ');
          content.append(Files.isRegularFile(path) ? Files.readString(path) : "").append('\n');
        }
      }
      state.put(id, content.toString());
    }
    return state;
  }

  private void deleteAll(String after) {
    for (NodeId id : trees().trees()) {
      trees().deleteTree(id);
    }
    world().deleteAll(after);
  }
}
