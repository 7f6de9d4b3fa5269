// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static dev.ramet.tck.storage.World.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.tck.storage.World;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;

/** Changes nodes on a full disk, and checks the outcome. Used by one thread. */
final class FullDisk {
  /** The distance between the pages that are written. */
  private static final int STRIDE = 7;

  private final World world;

  FullDisk(World world) {
    this.world = world;
  }

  /**
   * Overwrites pages of a volume as a guest does. On a full disk with copy-on-write such writes
   * fail first; then each page must hold its old or its new content completely.
   *
   * @param content the old content; where the volume has grown since, it held zeros
   */
  void overwrite(NodeId volume, byte[] content) {
    try {
      for (int page = 0; page < content.length / PAGE; page += STRIDE) {
        world.write(volume, page, 'w');
      }
    } catch (UncheckedIOException full) {
      // The guest sees that error; what matters here is the effect on others.
    }
    demandOldOrNewPages(volume, content);
  }

  private void demandOldOrNewPages(NodeId volume, byte[] content) {
    long size = world.backend().find(volume).orElseThrow().sizeBytes();
    byte[] found = world.bytes(volume, 0, (int) size);
    byte[] old = Arrays.copyOf(content, (int) size);
    byte[] written = new byte[PAGE];
    Arrays.fill(written, (byte) 'w');
    for (int page = 0; page < size / PAGE; page++) {
      int from = page * PAGE;
      int to = from + PAGE;
      boolean asBefore = Arrays.equals(found, from, to, old, from, to);
      boolean asWritten =
          page < content.length / PAGE
              && page % STRIDE == 0
              && Arrays.equals(found, from, to, written, 0, PAGE);
      assertTrue(
          asBefore || asWritten,
          "a write that finds no space must leave the old or the new: page " + page);
    }
  }

  /**
   * Returns whether a change was made. If it is refused, the error must be the one that the
   * contract demands, and nothing may be left of it.
   */
  boolean doneOrRefused(String what, Runnable mutation) {
    String traces = world.harness().traces();
    List<Node> nodes = world.backend().list();
    try {
      mutation.run();
      return true;
    } catch (RametException e) {
      assertEquals(
          ErrorCode.NO_SPACE, e.code(), () -> what + " on a full disk fails with NO_SPACE: " + e);
      assertNotNull(e.remedy(), () -> what + " on a full disk: say what to do about it");
      String root = world.harness().root().toString();
      assertTrue(
          String.valueOf(e.getMessage()).contains(root),
          () -> what + " on a full disk: say which file system is full, by its path: " + e);
      assertEquals(
          nodes, world.backend().list(), () -> what + " failed and changed the list of nodes");
      assertEquals(
          traces,
          world.harness().traces(),
          () -> what + " failed for lack of space and left something behind: undo it");
      return false;
    }
  }
}
