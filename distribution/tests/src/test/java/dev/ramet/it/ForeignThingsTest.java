// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.templates.Template;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Checks that files in a root that Ramet did not make, or cannot read any more, survive its starts.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ForeignThingsTest {
  private Ground ground;
  private Sandbox sandbox;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
    sandbox = ground.create();
    ground.shell(sandbox.id()).run("echo kept > /tmp/file");
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  private static Path file(Path path) throws IOException {
    Files.createDirectories(path.getParent());
    return Files.writeString(path, "mine");
  }

  /** Puts foreign and damaged files wherever possible and returns their paths. */
  private List<Path> scatter() throws IOException {
    Path root = ground.root();
    List<Path> mine = new ArrayList<>();
    for (Path among :
        List.of(
            ground.dataRoot(),
            root,
            root.resolve("sandboxes"),
            root.resolve("sandboxes").resolve(sandbox.id()),
            root.resolve("snapshots"),
            root.resolve("volumes"),
            root.resolve("builds"))) {
      mine.add(file(among.resolve("notes.txt")));
      mine.add(file(among.resolve("of mine/deep/notes.txt")));
      mine.add(file(among.resolve(".hidden")));
      mine.add(Files.createSymbolicLink(among.resolve("link"), Path.of("/etc/passwd")));
    }
    for (String prefix : List.of(".del-", ".new-")) {
      mine.add(file(root.resolve("sandboxes").resolve(prefix + "mine").resolve("notes.txt")));
      mine.add(file(root.resolve("snapshots").resolve(prefix + "mine").resolve("notes.txt")));
    }
    mine.add(file(root.resolve("volumes/.new-tree/deep/notes.txt")));
    mine.add(file(root.resolve("sandboxes/i0123456789abcdefghi/manifest.json")));
    mine.add(file(root.resolve("sandboxes/i1123456789abcdefghi/vm-1/console.log")));
    mine.add(file(root.resolve("snapshots/s0123456789abcdefghi/manifest.json")));
    mine.add(file(root.resolve("snapshots/s1123456789abcdefghi/kernel")));
    mine.add(file(ground.dataRoot().resolve(".probe-mine/notes.txt")));
    return mine;
  }

  @Test
  void aStartLeavesAloneWhatItDidNotMakeAndSaysSo() throws Exception {
    List<Path> mine = scatter();
    ground.closeEngine();
    List<String> said = new ArrayList<>();
    LogRecorder log = LogRecorder.of("dev.ramet");
    try {
      ground.openEngine();
      said.addAll(log.messages());
    } finally {
      log.close();
    }
    for (Path path : mine) {
      assertTrue(Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS), path.toString());
    }
    for (String name : List.of("sandboxes/notes.txt", "sandboxes/of mine", "snapshots/of mine")) {
      assertTrue(said.stream().anyMatch(line -> line.endsWith(name)), name + " in " + said);
    }
    assertEquals(Sandbox.State.RUNNING, ground.engine().sandboxes().get(sandbox.id()).state());
    assertEquals("kept", ground.shell(sandbox.id()).run("cat /tmp/file"));
    Template template = ground.engine().templates().get(Ground.TEMPLATE);
    assertEquals(dev.ramet.engine.snapshots.Snapshot.Status.READY, template.status());
    for (String line : said) {
      assertTrue(!line.contains(template.id()), "a template is nothing to warn of: " + line);
    }
  }

  /** The host is killed while it probes QEMU: the probe's machine runs on until the next start. */
  @Test
  void whatAKilledHostLeftOfItsProbesIsEndedAndRemoved() throws Exception {
    Set<Path> before = probes();
    ground.closeEngine();
    List<Long> left;
    try {
      Process host = Hosts.start("Probing", ground.dataRoot().toString());
      try {
        left = awaitProbe();
      } finally {
        host.destroyForcibly();
        host.waitFor();
      }
      assertTrue(!left.isEmpty() && probes().size() > before.size());
      for (long pid : left) {
        assertTrue(ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent(), "it ended");
      }
    } finally {
      ground.openEngine();
    }
    assertEquals(before, probes());
    for (long pid : left) {
      // A zombie has no command line either.
      assertEquals("", Hosts.commandLine(pid), "it runs on");
    }
    assertEquals("kept", ground.shell(sandbox.id()).run("cat /tmp/file"));
  }

  private Set<Path> probes() throws IOException {
    try (Stream<Path> all = Files.list(ground.dataRoot())) {
      return new TreeSet<>(
          all.filter(path -> path.getFileName().toString().startsWith(".probe-")).toList());
    }
  }

  /** Waits for a probe's machine in the data root and returns such processes. */
  private List<Long> awaitProbe() throws Exception {
    long end = System.nanoTime() + 60_000_000_000L;
    while (true) {
      List<Long> found =
          ground.machines().stream()
              .filter(pid -> Hosts.commandLine(pid).contains("/first/"))
              .toList();
      if (!found.isEmpty()) {
        return found;
      }
      assertTrue(System.nanoTime() < end, "the host does not probe");
      Thread.sleep(5);
    }
  }
}
