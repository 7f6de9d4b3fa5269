// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.agent.Command;
import dev.ramet.agent.GuestProcess;
import dev.ramet.api.sandbox.CloneRequestBody;
import dev.ramet.client.Ramet;
import dev.ramet.client.Sandbox;
import dev.ramet.client.Sandboxes;
import dev.ramet.client.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests the Java client's main use cases against the installed host, with real machines. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClientTest {
  private Ground ground;
  private Installed host;
  private Ramet ramet;

  @BeforeAll
  void start() throws Exception {
    ground = Ground.make();
    ground.closeEngine();
    host = Installed.serve(ground.dataRoot(), Map.of());
    ramet = host.client();
  }

  @AfterAll
  void end() throws Exception {
    if (host != null) {
      host.close();
    }
    ground.openEngine();
    ground.close();
  }

  @Test
  void rolloutsGoOnFromOneState() {
    try (Sandbox state = ramet.create("micro")) {
      state.run("echo 41 > /tmp/steps").text();
      // One at a time, because each is a machine.
      Set<String> rewards = new HashSet<>();
      for (int action = 0; action < 2; action++) {
        try (Sandboxes rollout = state.fork(1)) {
          assertEquals(List.of(), rollout.failures());
          rewards.add(rollout.get(0).run("expr $(cat /tmp/steps) + " + action).text().strip());
        }
      }
      assertEquals(Set.of("41", "42"), rewards);
      assertEquals("41", state.run("cat /tmp/steps").text().strip());
    }
  }

  @Test
  void strategiesRunBesideEachOtherFromOneInstant() {
    try (Sandbox origin = ramet.create("micro", Duration.ofMinutes(5))) {
      origin.files().write("/root/problem", "6 7");
      try (Sandboxes tries = origin.clone(2)) {
        assertEquals(2, tries.size());
        assertEquals(
            "13",
            tries.get(0).run("set -- $(cat /root/problem); echo $(($1 + $2))").text().strip());
        assertEquals(
            "42",
            tries.get(1).run("set -- $(cat /root/problem); echo $(($1 * $2))").text().strip());
        tries.get(0).files().write("/root/problem", "spoilt");
        assertEquals("6 7", tries.get(1).files().readText("/root/problem"));
      }
      assertEquals(List.of(origin.id()), ramet.list().stream().map(Sandbox::id).toList());
    }
  }

  @Test
  void anAttemptThatFailedIsRolledBackAndTriedAnew() {
    try (Sandbox sandbox = ramet.create("micro")) {
      GuestProcess watcher = sandbox.start(Command.of("sleep", "1000").within(null));
      Snapshot before = sandbox.snapshot();
      int attempt = 1;
      while (!sandbox
          .run("rm -rf /root/*; mkdir /root/tried; exit " + (attempt == 2 ? 0 : 1))
          .ok()) {
        assertEquals(sandbox.id(), sandbox.rollback(before).sandboxID());
        assertFalse(sandbox.run("ls /root").text().contains("tried"));
        assertTrue(sandbox.run("kill -0 " + watcher.pid()).ok(), "programs come back");
        attempt++;
      }
      watcher.close();
      assertEquals(2, attempt);
      assertEquals("READY", before.info().status());
      before.delete();
      assertEquals(ErrorCode.NOT_FOUND, code(() -> sandbox.rollback(before)));
    }
  }

  @Test
  void anEnvironmentOutlivesItsPausesAndItsClient() throws IOException {
    Sandbox mine = ramet.create("micro", null);
    try {
      mine.run("echo kept > /tmp/memory").text();
      mine.snapshot("evening");
      mine.pause();
      try (Ramet tomorrow = host.client()) {
        Sandbox again = tomorrow.sandbox(mine.id());
        assertEquals("paused", again.info().state());
        again.resume();
        again.lifetime(Duration.ofMinutes(2));
        assertNotNull(again.info().endAt());
        assertEquals("kept", again.files().readText("/tmp/memory").strip());
      }
      mine.close();
      try (Sandbox restored = ramet.snapshot("evening").start()) {
        assertEquals("kept", restored.files().readText("/tmp/memory").strip());
      }
      ramet.snapshot("evening").delete();
      assertEquals(List.of(), ramet.snapshots());
    } finally {
      mine.close();
    }
  }

  @Test
  void aNamedSandboxIsRestartedAndItsEndIsOneLineOfTheLog() throws Exception {
    Sandbox mine = ramet.create("micro", null);
    mine.rename("mine");
    mine.label(Map.of("owner", "it"));
    mine.run("echo kept > /root/file; echo lost > /tmp/file").text();
    Sandbox byName = ramet.sandbox("mine");
    assertEquals(mine.id(), byName.id());
    byName.restart();
    assertEquals("kept", byName.files().readText("/root/file").strip());
    assertEquals(ErrorCode.NOT_FOUND, code(() -> byName.files().read("/tmp/file")));
    assertEquals(Map.of("owner", "it"), byName.info().metadata());
    byName.lifetime(Duration.ZERO);
    long end = System.nanoTime() + 60_000_000_000L;
    while (ramet.list().stream().anyMatch(found -> found.id().equals(mine.id()))) {
      assertTrue(System.nanoTime() < end, "it does not end");
    }
    String line =
        Files.readAllLines(Path.of("target/served.log")).stream()
            .filter(text -> text.contains("sandbox " + mine.id() + " is over"))
            .findFirst()
            .orElse("");
    assertTrue(line.matches("\\d{4}-\\d\\d-\\d\\dT.* INFO .*SandboxExpiry - the time of .*"), line);
  }

  @Test
  void streamsAndErrorsAreThoseOfRealPrograms() {
    try (Sandbox sandbox = ramet.create("micro");
        GuestProcess cat = sandbox.start(Command.of("cat").withInput())) {
      cat.write("in and out".getBytes(StandardCharsets.UTF_8));
      GuestProcess.Output echoed = cat.next();
      assertNotNull(echoed);
      assertEquals("in and out", new String(echoed.bytes(), StandardCharsets.UTF_8));
      cat.closeInput();
      assertEquals(0, cat.result().status());
      byte[] big = new byte[3 << 20];
      new java.util.Random(1).nextBytes(big);
      sandbox.files().write("/root/big", big);
      assertEquals(
          java.util.Arrays.hashCode(big),
          java.util.Arrays.hashCode(sandbox.files().read("/root/big")));
      assertEquals(
          ErrorCode.DEADLINE_EXCEEDED,
          code(() -> sandbox.run(Command.shell("sleep 9").within(Duration.ofMillis(500)))));
      assertEquals(ErrorCode.NOT_FOUND, code(() -> sandbox.files().read("/none")));
      assertEquals(ErrorCode.NOT_FOUND, code(() -> ramet.create("none")));
      assertEquals(
          ErrorCode.INVALID_ARGUMENT,
          code(() -> sandbox.clone(new CloneRequestBody(0, null, null))));
      assertTrue(sandbox.kill());
      assertEquals(ErrorCode.NOT_FOUND, code(() -> sandbox.run("true")));
      assertFalse(sandbox.kill());
    }
  }

  private static ErrorCode code(Runnable call) {
    return assertThrows(RametException.class, call::run).code();
  }
}
