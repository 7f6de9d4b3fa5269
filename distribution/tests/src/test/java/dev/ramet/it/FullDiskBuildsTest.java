// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.it.Installed.Run;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.junit.jupiter.api.Test;

/** Checks that a build on a full file system names it and leaves nothing on it. */
final class FullDiskBuildsTest extends BrokenBuildsGround {
  // Too little for the kernel, for the image's files, and for the disk made of them.
  private static final long[] ROOM_MEGABYTES = {2, 30, 100};

  // How long a machine has run when the free space is taken.
  private static final int[] RUNS_MILLIS = {0, 200};

  @Test
  void aFullFileSystemIsNamedAndNothingIsLeftOnIt() throws Exception {
    Path mount = Files.createDirectory(scratch.resolve("small"));
    try (LoopFs small = LoopFs.xfs(mount, 600L << 20)) {
      Path data = Files.createDirectory(small.root().resolve("data"));
      // A guest that cannot write may never answer.
      Installed host = serve(data, Map.of("RAMET_AGENT_TIMEOUT", "60s"));
      try {
        SortedSet<String> before = RootFiles.of(data);
        long room = free(small);
        for (long megabytes : ROOM_MEGABYTES) {
          small.fill(megabytes << 20);
          assertNoRoom(build(host), small, megabytes + " MiB");
          assertNothingLeft(data, "none", before, megabytes + " MiB");
          small.unfill();
          // XFS frees the blocks of deleted files in the background.
          await(60, "room is lost", () -> free(small) > room - (8L << 20));
        }
        for (int millis : RUNS_MILLIS) {
          String when = "a machine of " + millis + " ms";
          String operation = begin(host, true);
          fillBeside(host, operation, data, millis, small);
          await(
              180, () -> "it goes on: " + operation(host, operation), () -> ended(host, operation));
          assertNoRoom(operation(host, operation).path("error"), small, when);
          assertNothingLeft(data, "none", before, when);
          small.unfill();
          await(60, "room is lost", () -> free(small) > room - (8L << 20));
        }
        String waiting = begin(host, false);
        reach(host, data, waiting, During.WAITING);
        small.fill(0);
        await(180, () -> "it goes on: " + operation(host, waiting), () -> ended(host, waiting));
        assertNoRoom(operation(host, waiting).path("error"), small, "waiting");
        assertNothingLeft(data, "none", before, "waiting");
        small.unfill();
        await(60, "room is lost", () -> free(small) > room - (8L << 20));
        theWayOutIsOpen(host, small);
        assertNothingLeft(data, "none", before, "in the end");
      } finally {
        end(host, data);
      }
    }
  }

  /**
   * Takes all free space while a build's machine is stopped, so that the amount written by then
   * does not depend on the speed of this host. A machine that still boots has no room for its
   * capture.
   */
  private static void fillBeside(
      Installed host, String operation, Path data, int millis, LoopFs small) throws Exception {
    await(
        180,
        () -> "no machine: " + operation(host, operation),
        () -> machine(data).isPresent() || ended(host, operation));
    String machine = "" + machine(data).orElseThrow().pid();
    Thread.sleep(millis);
    LoopFs.run(List.of("kill", "-STOP", machine));
    try {
      small.fill(0);
    } finally {
      LoopFs.run(List.of("kill", "-CONT", machine));
    }
  }

  private static long free(LoopFs small) {
    return small.root().toFile().getUsableSpace();
  }

  private static void assertNoRoom(JsonNode refused, LoopFs full, String when) {
    String said = when + ": " + refused;
    assertEquals(507, refused.path("code").asInt(), said);
    assertEquals("NO_SPACE", refused.path("error").asText(), said);
    assertTrue(refused.path("message").asText().contains(full.root().toString()), said);
    assertTrue(refused.path("remedy").asText().matches(".*(delete|remove).*"), said);
  }

  /** Checks that deleting things to make room works without any free space. */
  private void theWayOutIsOpen(Installed host, LoopFs full) throws Exception {
    JsonNode built = build(host);
    assertTrue(built.has("templateID"), built.toString());
    Run created = host.run("sandbox", "create", "-t", NAME);
    assertEquals(0, created.status(), created.err());
    full.fill(0);
    Run killed = host.run("sandbox", "kill", created.out().strip());
    assertEquals(0, killed.status(), killed.err());
    full.fill(0);
    Run removed = host.run("template", "rm", NAME);
    assertEquals(0, removed.status(), removed.err());
    full.unfill();
  }
}
