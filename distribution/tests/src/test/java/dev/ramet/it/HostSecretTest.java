// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that nobody but the host can take over a real machine through its forwarded port. */
final class HostSecretTest extends HostSecretGround {
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
    ground.engine().snapshots().create(NewSnapshot.named(id, "disk").withoutMemory());
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
}
