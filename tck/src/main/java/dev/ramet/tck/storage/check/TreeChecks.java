// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.U;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.spi.storage.DirectorySnapshots;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.TreeStreams;
import dev.ramet.tck.storage.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Checks directory trees, if the backend captures them. */
public abstract class TreeChecks {
  /** Called by the kit. */
  protected TreeChecks() {}

  public abstract World world();

  @Test
  void aTreeIsCapturedWithAllThatIsInIt() throws Exception {
    if (!(world().backend() instanceof DirectorySnapshots trees)) {
      return;
    }
    Path tree = trees.createTree(V);
    Files.createDirectories(tree.resolve("a/b"));
    Files.writeString(tree.resolve("a/b/file"), "one");
    Path captured = trees.snapshotTree(V, S, true);
    Files.writeString(tree.resolve("a/b/file"), "two");
    Files.writeString(tree.resolve("later"), "later");
    assertEquals("one", Files.readString(captured.resolve("a/b/file")));
    assertFalse(Files.exists(captured.resolve("later")));
    assertThrows(
        IOException.class,
        () -> Files.writeString(captured.resolve("x"), "x"),
        "a read-only copy must refuse writes");
    Path writable = trees.snapshotTree(S, T, false);
    Files.writeString(writable.resolve("a/b/file"), "three");
    assertEquals("one", Files.readString(captured.resolve("a/b/file")));
    assertEquals("two", Files.readString(tree.resolve("a/b/file")));
    assertEquals(List.of(S, T, V), trees.trees());
    assertEquals(captured, trees.treePath(S));
    world().reopen();
    trees = (DirectorySnapshots) world().backend();
    assertEquals(List.of(S, T, V), trees.trees(), "trees must be found again");
    trees.deleteTree(V);
    assertEquals("one", Files.readString(captured.resolve("a/b/file")));
    for (NodeId id : List.of(S, T, V)) {
      trees.deleteTree(id);
    }
    assertEquals(List.of(), trees.trees());
    world().deleteAll("after deleting all trees");
  }

  @Test
  void treesThatCannotBeAreRefused() {
    if (!(world().backend() instanceof DirectorySnapshots trees)) {
      return;
    }
    trees.createTree(V);
    refusal(ErrorCode.ALREADY_EXISTS, "a tree twice", () -> trees.createTree(V));
    refusal(ErrorCode.ALREADY_EXISTS, "a copy of itself", () -> trees.snapshotTree(V, V, true));
    refusal(ErrorCode.NOT_FOUND, "a copy of nothing", () -> trees.snapshotTree(S, T, true));
    refusal(ErrorCode.NOT_FOUND, "the path of nothing", () -> trees.treePath(S));
    trees.deleteTree(S);
    trees.deleteTree(V);
  }

  private void refusal(ErrorCode code, String what, Runnable call) {
    world().refusedWithoutTrace(code, what, call);
  }

  /** If two files are always written in the same order, no capture may show the opposite order. */
  @Test
  void aCaptureIsOneInstant() throws Exception {
    if (!(world().backend() instanceof DirectorySnapshots trees)) {
      return;
    }
    Path tree = trees.createTree(V);
    AtomicBoolean stop = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              try {
                for (int i = 0; !stop.get() && i < 100_000; i++) {
                  Files.createFile(tree.resolve("first-" + i));
                  Files.createFile(tree.resolve("second-" + i));
                }
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    writer.start();
    try {
      for (int i = 0; i < 10; i++) {
        Path captured = trees.snapshotTree(V, NodeId.of("c" + i), true);
        List<String> names;
        try (var files = Files.list(captured)) {
          names = files.map(file -> file.getFileName().toString()).toList();
        }
        long first = names.stream().filter(name -> name.startsWith("first")).count();
        long second = names.size() - first;
        assertTrue(
            first == second || first == second + 1,
            () ->
                "captured "
                    + first
                    + " files and "
                    + second
                    + " that follow them: not one instant");
      }
    } finally {
      stop.set(true);
      writer.join();
    }
    for (NodeId id : trees.trees()) {
      trees.deleteTree(id);
    }
    world().deleteAll("after captures of a busy tree");
  }

  @Test
  void aTreeTravelsAsADifference() throws Exception {
    if (!(world().backend() instanceof TreeStreams trees)) {
      return;
    }
    Path tree = trees.createTree(V);
    byte[] large = new byte[4 << 20];
    new Random(2).nextBytes(large);
    Files.write(tree.resolve("large"), large);
    trees.snapshotTree(V, S, true);
    Files.writeString(tree.resolve("small"), "new");
    trees.snapshotTree(V, T, true);
    Path whole = world().scratch().resolve("whole");
    Path difference = world().scratch().resolve("difference");
    trees.sendTree(S, null, whole);
    trees.sendTree(T, S, difference);
    assertTrue(Files.size(whole) > large.length);
    assertTrue(Files.size(difference) < 64 << 10, "a difference holds what differs");
    refusal(ErrorCode.CONFLICT, "sending a tree that changes", () -> trees.sendTree(V, null, tree));
    World.refused(
        ErrorCode.ALREADY_EXISTS, "sending over a file", () -> trees.sendTree(S, null, whole));
    trees.deleteTree(T);
    trees.deleteTree(V);
    Path received = trees.receiveTree(difference, U);
    assertEquals("new", Files.readString(received.resolve("small")));
    assertEquals(large.length, Files.size(received.resolve("large")));
    Path again = trees.receiveTree(whole, F);
    assertEquals(0, Files.mismatch(again.resolve("large"), received.resolve("large")) + 1);
    Path damaged = Files.write(world().scratch().resolve("damaged"), new byte[] {1, 2, 3});
    refusal(ErrorCode.CONFLICT, "receiving what is no stream", () -> trees.receiveTree(damaged, T));
    for (NodeId id : trees.trees()) {
      trees.deleteTree(id);
    }
    refusal(
        ErrorCode.CONFLICT,
        "receiving a difference without its base",
        () -> trees.receiveTree(difference, T));
    world().deleteAll("after trees have travelled");
  }
}
