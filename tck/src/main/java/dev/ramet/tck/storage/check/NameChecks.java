// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.errors.ErrorCode;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.World;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Checks that all nodes share one flat namespace, and that every valid name works. */
public abstract class NameChecks {
  /** Called by the kit. */
  protected NameChecks() {}

  private static final List<String> BAD =
      List.of(
          "",
          ".",
          "..",
          "a/b",
          "../v",
          "/etc",
          "-v",
          ".hidden",
          ".new-x",
          "_x",
          "a b",
          "a\nb",
          "a\0b",
          "a\\b",
          "a:b",
          "a*",
          "\u00e4",
          "a\u0301",
          "\u202e",
          "\ud83d\ude00",
          "x".repeat(65));

  /** All of these are valid, and each has broken some program. */
  private static final List<String> GOOD =
      List.of(
          "x".repeat(64),
          "0",
          "00",
          "a.",
          "a..b",
          "a-",
          "a--b",
          "a_b",
          "CON",
          "nul",
          "lost.found",
          "volumes",
          "backend",
          "tmp",
          "new-x",
          "A.new-b",
          "snapshot",
          "1e9",
          "0x1f",
          "NaN");

  public abstract World world();

  @Test
  void badNamesNeverReachTheRoot() {
    for (String bad : BAD) {
      world()
          .refusedWithoutTrace(
              ErrorCode.INVALID_ARGUMENT,
              "the name '" + bad + "'",
              () -> world().backend().create(NodeId.of(bad), SIZE));
    }
  }

  @Test
  void everyValidNameWorksForEveryKind() {
    StorageBackend backend = world().backend();
    TreeSet<NodeId> expected = new TreeSet<>();
    for (String good : GOOD) {
      world().volume(NodeId.of(good), '1');
      expected.add(NodeId.of(good));
    }
    for (String good : GOOD) {
      if (good.length() < 60) {
        NodeId child = NodeId.of(good + ".s");
        backend.snapshot(NodeId.of(good), child, Durability.RELAXED);
        expected.add(child);
      }
    }
    world().reopen();
    assertEquals(
        List.copyOf(expected),
        world().backend().list().stream().map(Node::id).toList(),
        "every valid name must be found again");
    for (NodeId id : expected) {
      assertEquals('1', world().read(id, 3), () -> "the content of " + id);
    }
    world().deleteAll("after all kinds of names");
  }

  @Test
  void caseMakesADifference() {
    StorageBackend backend = world().backend();
    world().volume(NodeId.of("node"), '1');
    world().volume(NodeId.of("Node"), '2');
    backend.snapshot(NodeId.of("node"), NodeId.of("NODE"), Durability.RELAXED);
    assertEquals('1', world().read(NodeId.of("node"), 3));
    assertEquals('2', world().read(NodeId.of("Node"), 3));
    assertEquals('1', world().read(NodeId.of("NODE"), 3));
  }

  @Test
  void volumesAndSnapshotsShareTheirNames() {
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    backend.snapshot(V, S, Durability.RELAXED);
    world()
        .refusedWithoutTrace(
            ErrorCode.ALREADY_EXISTS,
            "a volume named as a snapshot",
            () -> backend.create(S, SIZE));
    world()
        .refusedWithoutTrace(
            ErrorCode.ALREADY_EXISTS,
            "a fork named as a volume",
            () -> backend.fork(S, V, Durability.RELAXED));
    world()
        .refusedWithoutTrace(
            ErrorCode.ALREADY_EXISTS,
            "a snapshot named as its source",
            () -> backend.snapshot(S, S, Durability.RELAXED));
  }
}
