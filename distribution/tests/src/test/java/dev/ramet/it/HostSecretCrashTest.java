// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.Progress;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.templates.ImportTemplate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Checks the secret after guests restart, hosts are killed, and in guests that have none. */
final class HostSecretCrashTest extends HostSecretGround {
  /** A guest that restarts reads the secret from its own VM and never accepts anybody else. */
  @Test
  void aGuestThatRestartsKnowsItsHost() throws Exception {
    Sandbox sandbox = withFile();
    GuestShell shell = shell(sandbox);
    String boot = shell.run("sync; cat /proc/sys/kernel/random/boot_id");
    shell.run("(sleep 1; reboot -f) >/dev/null 2>&1 &");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (Set.of(boot, "").contains(bootId(shell))) {
      assertTrue(System.nanoTime() < end, "the guest restarts");
      Thread.sleep(200);
    }
    refuses(sandbox, new TreeSet<>(), "after a restart of the guest");
    String agent = shell.run("pidof ramet-agent");
    try {
      shell.run("kill -9 " + agent);
    } catch (IOException died) {
      // Expected: the agent dies during the call.
    }
    while (Set.of(agent, "").contains(pid(shell))) {
      assertTrue(System.nanoTime() < end, "the agent restarts");
      Thread.sleep(200);
    }
    refuses(sandbox, new TreeSet<>(), "after a restart of the agent");
  }

  private static String bootId(GuestShell shell) {
    try {
      return shell.run("cat /proc/sys/kernel/random/boot_id");
    } catch (IOException away) {
      return "";
    }
  }

  /**
   * The host is killed between replacing the secret and writing the manifest that holds it, and
   * after that.
   */
  @Test
  void aHostThatIsKilledHasTheSecretOfTheMachineThatIsLeft() throws Exception {
    Sandbox sandbox = withFile();
    ground.engine().snapshots().create(sandbox.id(), "start");
    Set<String> known = new TreeSet<>();
    for (String step : List.of("rollback.agent", "rollback.commit", "rollback.clear")) {
      ground.closeEngine();
      Process host =
          Hosts.start(
              "DyingHost", ground.dataRoot().toString(), "rollback", sandbox.id(), step, "0");
      assertEquals(DyingHost.STATUS, host.waitFor(), step);
      ground.openEngine();
      refuses(sandbox, known, "after a host that was killed at " + step);
      known.remove(secret(sandbox));
      assertEquals(1, ground.machines().size(), step);
    }
  }

  /**
   * An agent cannot receive a secret if its kernel denies access to I/O ports. The sandbox then
   * works as without one and is reported as unauthenticated.
   */
  @Test
  void anAgentWithoutASecretGoesOnAndIsMarked() throws Exception {
    Path images = template();
    JsonNode manifest = new ObjectMapper().readTree(images.resolve("template.json").toFile());
    ground
        .engine()
        .templates()
        .importImages(
            new ImportTemplate(
                "locked",
                images.resolve("kernel"),
                images.resolve("rootfs.raw"),
                images.resolve("initrd"),
                manifest.path("cmdline").asText() + " lockdown=integrity",
                1,
                256L << 20,
                false),
            Progress.NONE);
    assertEquals(1, marks("template locked").size());
    Sandbox sandbox = create("locked");
    shell(sandbox).run("echo kept >" + FILE);
    assertEquals(Sandbox.Agent.UNAUTHENTICATED, sandbox.agent());
    assertTrue(marks("template locked").get(0).contains("ramet template build"), "a remedy");
    assertEquals(1, marks("sandbox " + sandbox.id()).size());
    ground.engine().snapshots().create(sandbox.id(), "kept");
    sandboxes().rollback(sandbox.id(), "kept");
    Sandbox clone =
        sandboxes().clone(sandbox.id(), new CloneRequest(1, 1, null)).sandboxes().get(0);
    assertEquals(Sandbox.Agent.UNAUTHENTICATED, sandboxes().get(clone.id()).agent());
    Stranger stranger = stranger(sandbox);
    assertEquals("kept\n", stranger.read(FILE, sandbox.accessToken()).body());
    assertEquals(401, stranger.read(FILE, null).statusCode());
    assertEquals(204, stranger.post("/init", null), "the hole, which is what the mark is for");
    assertEquals("kept\n", stranger.read(FILE, "mine").body());
    ground.clear();
    ground.engine().templates().delete("locked");
  }

  private List<String> marks(String what) {
    return ground.engine().doctor().report(false).advice().stream()
        .filter(line -> line.startsWith("agent: unauthenticated") && line.contains(what))
        .toList();
  }
}
