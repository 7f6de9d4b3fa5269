// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.backends.copy.SparseCopy;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a reuse that stops at any step leaves the snapshot, the volume, or neither. */
final class ReusingBackendTest {
  private static final NodeId OLD = NodeId.of("old");
  private static final NodeId FRESH = NodeId.of("fresh");

  private final byte[] content = new byte[40_960];
  private int left = Integer.MAX_VALUE;
  private boolean dead;
  @TempDir private Path root;

  private static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** From one step on every change fails, as if the process were dead. */
  private void step(String what) {
    if (left-- <= 0 && (dead || left == -1)) {
      throw new Broken();
    }
  }

  private ReusingBackend open() {
    return ReusingBackend.open(root, "test", 1, new SparseCopy(), this::step);
  }

  private void make() throws IOException {
    left = Integer.MAX_VALUE;
    new Random(6).nextBytes(content);
    try (ReusingBackend backend = open()) {
      backend.delete(FRESH);
      backend.delete(OLD);
      backend.create(OLD, content.length);
      Files.write(backend.attach(OLD).path(), content);
      backend.seal(OLD, Durability.DURABLE);
    }
  }

  /** Breaks at each step in turn; answers whether there was one left to break. */
  private boolean breaks(int step) throws IOException {
    make();
    try (ReusingBackend backend = open()) {
      left = step;
      try {
        backend.reuse(OLD, FRESH);
        return false;
      } catch (Broken broken) {
        if (!dead) {
          left = Integer.MAX_VALUE;
          assertEquals(Node.Kind.SNAPSHOT, backend.find(OLD).orElseThrow().kind(), "taken back");
          assertTrue(backend.find(FRESH).isEmpty());
        }
      }
    }
    left = Integer.MAX_VALUE;
    try (ReusingBackend backend = open()) {
      int found = 0;
      for (Node node : backend.list()) {
        found++;
        assertEquals(node.id().equals(OLD) ? Node.Kind.SNAPSHOT : Node.Kind.VOLUME, node.kind());
        assertArrayEquals(content, Files.readAllBytes(backend.attach(node.id()).path()));
      }
      assertTrue(found <= 1);
      assertTrue(dead || found == 1);
    }
    try (Stream<Path> entries = Files.list(root.resolve("volumes"))) {
      assertTrue(entries.filter(path -> Files.isDirectory(path)).count() <= 1, "nothing half-made");
    }
    return true;
  }

  @Test
  void aFailureIsTakenBack() throws Exception {
    int steps = 0;
    while (breaks(steps)) {
      steps++;
    }
    assertTrue(steps >= 4, "steps: " + steps);
  }

  @Test
  void aCrashLeavesNothingHalfMade() throws Exception {
    dead = true;
    int steps = 0;
    while (breaks(steps)) {
      steps++;
    }
    assertTrue(steps >= 4, "steps: " + steps);
  }
}
