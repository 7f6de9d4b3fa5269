// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.Progress;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.templates.ImportTemplate;
import dev.ramet.testing.Require;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Checks that nobody but the host can take over a real machine through its forwarded port. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HostSecretTest {
  private static final int AGENT_PORT = 49_983;
  private static final SandboxRules SECURE =
      new SandboxRules(SandboxRules.AtEnd.KILL, true, false, true);
  private static final String FILE = "/root/secret";

  private static final List<String> HOST_ONLY =
      List.of(
          "/init",
          "/ready",
          "/settle",
          "/freeze",
          "/thaw",
          "/template",
          "/trust",
          "/unpack?dest=/",
          "/volume?id=v&path=/mnt");

  private Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
  }

  @AfterAll
  void close() throws Exception {
    ground.close();
  }

  @AfterEach
  void clear() {
    ground.clear();
  }

  private Sandboxes sandboxes() {
    return ground.engine().sandboxes();
  }

  private Sandbox create(String source) {
    return sandboxes().create(NewSandbox.of(source).rules(SECURE).build());
  }

  private Stranger stranger(Sandbox sandbox) {
    return new Stranger(sandboxes().endpoint(sandbox.id(), AGENT_PORT));
  }

  private String secret(String kind, String id, String field) throws IOException {
    Path manifest = ground.root().resolve(kind).resolve(id).resolve("manifest.json");
    JsonNode secret = new ObjectMapper().readTree(Files.readAllBytes(manifest)).at(field);
    assertTrue(secret.isTextual(), kind + " " + id + " has a secret");
    return secret.asText();
  }

  private String secret(Sandbox sandbox) throws IOException {
    return secret("sandboxes", sandbox.id(), "/machine/hostSecret");
  }

  private String secret(Snapshot snapshot) throws IOException {
    return secret("snapshots", snapshot.id(), "/hostSecret");
  }

  /** Checks that nobody gets in with any secret known so far. */
  private void refuses(Sandbox sandbox, Set<String> known, String when) throws Exception {
    assertEquals(Sandbox.Agent.AUTHENTICATED, sandboxes().get(sandbox.id()).agent(), when);
    Stranger stranger = stranger(sandbox);
    String own = secret(sandbox);
    assertFalse(known.contains(own), "each machine has a secret of its own, " + when);
    List<@Nullable String> tried = new ArrayList<>(known);
    tried.add(null);
    tried.add(own.substring(1));
    tried.add(own + "0");
    for (String secret : tried) {
      for (String path : HOST_ONLY) {
        assertEquals(401, stranger.post(path, secret), path + " " + when);
      }
    }
    known.add(own);
    assertEquals(401, stranger.read(FILE, null).statusCode(), when);
    assertEquals(401, stranger.read(FILE, "mine").statusCode(), when);
    assertEquals("kept\n", stranger.read(FILE, sandbox.accessToken()).body(), when);
    assertTrue(
        sandboxes().metrics(sandbox.id()).memoryTotalBytes() > 0, "the host gets in " + when);
  }

  /** Creates a secure sandbox with the file. */
  private Sandbox withFile() throws Exception {
    Sandbox sandbox = create(Ground.TEMPLATE);
    shell(sandbox).run("echo kept >" + FILE);
    return sandbox;
  }

  private GuestShell shell(Sandbox sandbox) {
    return new GuestShell(sandboxes().endpoint(sandbox.id(), AGENT_PORT), sandbox.accessToken());
  }

  @Test
  void howeverAMachineCameToBe() throws Exception {
    Set<String> known = new TreeSet<>();
    Sandbox sandbox = withFile();
    String id = sandbox.id();
    refuses(sandbox, known, "after a restore of the template");
    Snapshot snapshot = ground.engine().snapshots().create(id, "kept");
    assertEquals(secret(sandbox), secret(snapshot), "the agent in it knows this one");

    refuses(create("kept"), known, "after a restore of a snapshot");
    Sandbox clone = sandboxes().clone(id, new CloneRequest(1, 1, null)).sandboxes().get(0);
    refuses(clone, known, "in a clone");
    known.remove(secret(sandbox));
    refuses(sandbox, known, "beside its clone");
    sandboxes().rollback(id, "kept");
    refuses(sandbox, known, "after a rollback");

    known.remove(secret(sandbox));
    ground.closeEngine();
    ground.openEngine();
    refuses(sandbox, known, "after a restart of the host");
    // This snapshot freezes and thaws the guest's file systems.
    ground.engine().snapshots().create(NewSnapshot.of(id, "disk").withoutMemory());
    refuses(create("disk"), known, "after a boot from a snapshot of the disk");

    sandboxes().pause(id, true);
    Sandbox again = sandboxes().clone(id, new CloneRequest(1, 1, null)).sandboxes().get(0);
    refuses(again, known, "in a clone of a paused sandbox");
    sandboxes().resume(id, null, true);
    refuses(sandbox, known, "after a pause");
    sandboxes().pause(id, false);
    sandboxes().resume(id, null, true);
    refuses(sandbox, known, "after a pause without the memory");
  }

  /**
   * Owners of a machine of the same origin know the content of its memory, and can reach the next
   * machine's port before the host does.
   */
  @Test
  void whatOthersKnowOpensNothingBeforeTheHostHasCome() throws Exception {
    Sandbox sandbox = withFile();
    Snapshot snapshot = ground.engine().snapshots().create(sandbox.id(), "kept");
    String template =
        secret("snapshots", ground.engine().templates().get(Ground.TEMPLATE).id(), "/hostSecret");
    Set<Long> before = new TreeSet<>(ground.machines());
    List<Integer> statuses = new ArrayList<>();
    Runnable attack =
        () -> {
          try {
            Stranger stranger = new Stranger(address(before));
            for (String secret : List.of(secret(snapshot), secret(sandbox), template)) {
              statuses.add(stranger.post("/init", secret));
              statuses.add(stranger.post("/settle", secret));
            }
            statuses.add(stranger.read(FILE, sandbox.accessToken()).statusCode());
            statuses.add(stranger.read(FILE, null).statusCode());
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        };
    List<Integer> refused = Collections.nCopies(8, 401);

    ground.steps().doAt("create.agent", attack);
    Sandbox restored = create("kept");
    assertEquals(refused, statuses, "a machine that was restored from a snapshot");
    ground.steps().doAt("create.agent", () -> {});
    refuses(restored, new TreeSet<>(), "after that");

    statuses.clear();
    before.addAll(ground.machines());
    ground.steps().doAt("create.agent", attack);
    create(Ground.TEMPLATE);
    assertEquals(refused, statuses, "a machine that was restored from a template");

    statuses.clear();
    before.addAll(ground.machines());
    ground.steps().doAt("rollback.agent", attack);
    sandboxes().rollback(sandbox.id(), "kept");
    // The sandbox's access token is valid even then.
    assertEquals(
        List.of(401, 401, 401, 401, 401, 401, 200, 401), statuses, "a sandbox that was put back");
    ground.steps().resetWhenDone();
    refuses(sandbox, new TreeSet<>(), "after a rollback");
  }

  /**
   * Returns the agent's address of a machine that is not in {@code before}; every user can read it.
   */
  private InetSocketAddress address(Set<Long> before) {
    long pid =
        ground.machines().stream().filter(p -> !before.contains(p)).findFirst().orElseThrow();
    Matcher forward =
        Pattern.compile("hostfwd=tcp:([0-9.]+):([0-9]+)-:" + AGENT_PORT)
            .matcher(Hosts.commandLine(pid));
    assertTrue(forward.find(), "a forwarded port");
    return new InetSocketAddress(forward.group(1), Integer.parseInt(forward.group(2)));
  }

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

  private static String pid(GuestShell shell) {
    try {
      return shell.run("pidof ramet-agent");
    } catch (IOException away) {
      return "";
    }
  }

  private static String bootId(GuestShell shell) {
    try {
      return shell.run("cat /proc/sys/kernel/random/boot_id");
    } catch (IOException away) {
      return "";
    }
  }

  @Test
  void theSecretIsNowhereToBeRead() throws Exception {
    Sandbox sandbox = withFile();
    Snapshot snapshot = ground.engine().snapshots().create(sandbox.id(), "kept");
    Set<String> secrets = Set.of(secret(snapshot), secret(create("kept")));
    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        for (String name : List.of("cmdline", "environ")) {
          shows(readOrNothing(process.resolve(name)), secrets, process + "/" + name);
        }
      }
    }
    for (Path file : Trees.below(ground.root())) {
      boolean small = Files.isRegularFile(file) && Files.size(file) < 1 << 20;
      if (small && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
        shows(readOrNothing(file), secrets, file.toString());
      }
    }
    shows(sandboxes().get(sandbox.id()).toString(), secrets, "what is said of a sandbox");
    shows(
        ground.engine().snapshots().get("kept").toString(), secrets, "what is said of a snapshot");
    GuestShell shell = shell(sandbox);
    shows(
        shell.run("cat /proc/cmdline /proc/*/cmdline /proc/*/environ 2>/dev/null | tr '\\0' ' '"),
        secrets,
        "the guest's processes");
    GuestShell.Result ports = shell.execute("su -s /bin/sh user -c 'head -c 1 /dev/port'");
    assertTrue(ports.exitCode() != 0, "a user of the guest reads no ports: " + ports);
    shows(
        shell.run("cat /var/log/* /root/* /tmp/* 2>/dev/null; true"), secrets, "the guest's files");
  }

  private static void shows(String text, Set<String> secrets, String where) {
    assertFalse(secrets.stream().anyMatch(text::contains), where + " shows the secret");
  }

  private static String readOrNothing(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }

  /** Another user of the host, in a separate process. */
  @Test
  void anotherUserOfTheHostIsRefused() throws Exception {
    Require.root();
    Sandbox sandbox = withFile();
    var address = sandboxes().endpoint(sandbox.id(), AGENT_PORT);
    String attack =
        """
        import encodings.idna, os, socket, sys
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        def call(line, body=""):
            to = socket.socket()
            to.connect((sys.argv[1], int(sys.argv[2])))
            to.sendall((line + " HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\nContent-Length: "
                        + str(len(body)) + "\\r\\n\\r\\n" + body).encode())
            return to.makefile("rb").readline().decode().split()[1]
        print(call("POST /init", '{"accessToken":"mine"}'), call("GET /files?path=/root/secret"),
              os.access(sys.argv[3], os.R_OK))
        """;
    Process process =
        new ProcessBuilder(
                "python3",
                "-c",
                attack,
                address.getAddress().getHostAddress(),
                Integer.toString(address.getPort()),
                ground.root().resolve("sandboxes/" + sandbox.id() + "/manifest.json").toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals("401 401 False\n", said);
    assertEquals(0, process.waitFor());
    refuses(sandbox, new TreeSet<>(), "after the attack");
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

  /** Returns the directory with the images of the usual template. */
  private Path template() throws Exception {
    String made = System.getenv("RAMET_TEST_TEMPLATE");
    if (made != null) {
      return Path.of(made);
    }
    Path images = ground.dataRoot().resolve("images");
    Path guest = GuestFiles.directory();
    ProcessBuilder recipe =
        new ProcessBuilder(
                guest.resolve("templates/micro/recipe").toString(), "build", images.toString())
            .inheritIO();
    recipe.environment().put("RAMET_AGENT", guest.resolve("ramet-agent").toString());
    recipe
        .environment()
        .put("RAMET_CACHE", Objects.requireNonNull(System.getProperty("ramet.cache")));
    assertEquals(0, recipe.start().waitFor());
    return images;
  }
}
