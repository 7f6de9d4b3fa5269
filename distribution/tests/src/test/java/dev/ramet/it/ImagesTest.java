// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.agent.Command;
import dev.ramet.api.snapshot.CreateSnapshot;
import dev.ramet.client.Ramet;
import dev.ramet.client.Sandbox;
import dev.ramet.client.Sandboxes;
import dev.ramet.client.Snapshot;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests container images as templates, and larger disks, on the installed host with real machines.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ImagesTest {
  @TempDir private Path scratch;
  private Ground ground;
  private Installed host;
  private Ramet ramet;
  private byte[] busybox = {};

  @BeforeAll
  void start() throws Exception {
    ground = Ground.make();
    ground.closeEngine();
    host = Installed.serve(ground.dataRoot(), Map.of());
    ramet = host.client();
    try (Sandbox micro = ramet.create("micro")) {
      busybox = micro.files().read("/usr/bin/busybox");
    }
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
  void whatAnImageStartsRunsInEverySandbox() throws Exception {
    Path layout = busyboxImage();
    Installed.Run built =
        build(layout, "web", "--ready", "test -s /app/ran", "--memory", "256M", "--disk", "128M");
    assertEquals(0, built.status(), built.err());
    Installed.Run again =
        build(layout, "web", "--ready", "test -s /app/ran", "--memory", "256M", "--disk", "128M");
    assertEquals(built.out(), again.out());
    assertTrue(again.err().contains("is there already"), again.err());
    try (Sandbox sandbox = ramet.create("web")) {
      // As the image's user, in its directory, with its environment.
      assertEquals("70 71\n/app green\n", sandbox.files().readText("/app/ran"));
      String pid = sandbox.run("pidof sleep").text().strip();
      assertFalse(pid.isEmpty());
      // Commands of clients run with their own user and home, and the image's environment.
      assertEquals("0 /root green", sandbox.run("echo $(id -u) $PWD $COLOR").text().strip());
      assertEquals(
          "1000 /home/user",
          sandbox.run(Command.shell("echo $(id -u) $PWD").as("user")).text().strip());
      assertEquals("4755", sandbox.run("stat -c %a /app/suid").text().strip());
      Installed.Run logs = host.run("sandbox", "logs", sandbox.id(), "--source", "container");
      assertEquals("started\n", logs.out(), logs.err());
      assertTrue(host.run("sandbox", "logs", sandbox.id()).out().contains("container | started\n"));
      sandbox.snapshot("with-image");
      try (Sandboxes forks = sandbox.fork(1)) {
        assertEquals(List.of(), forks.failures());
        assertEquals(pid, forks.get(0).run("pidof sleep").text().strip());
      }
      ramet.snapshot("with-image").delete();
    } finally {
      host.run("template", "rm", "web");
    }
  }

  @Test
  void anImageWithoutAnyProgramButItsOwnWorksToo() throws Exception {
    Path root = Files.createDirectories(scratch.resolve("scratch-root"));
    executable(root.resolve("sleep"), busybox);
    Path layout = scratch.resolve("scratch-image");
    OciImage.make(layout, root, Map.of("Entrypoint", List.of("/sleep", "100000"), "User", "5:6"));
    Installed.Run built = build(layout, "scratch", "--memory", "128M", "--disk", "64M");
    assertEquals(0, built.status(), built.err());
    try (Sandbox sandbox = ramet.create("scratch")) {
      String listing = sandbox.run("ps -o user,args; ls /").text();
      assertTrue(listing.contains("/sleep 100000"), listing);
      assertEquals("user", sandbox.run(Command.of("whoami").as("user")).text().strip());
      sandbox.files().write("/mine", "kept");
      assertEquals("kept", sandbox.files().readText("/mine"));
    } finally {
      host.run("template", "rm", "scratch");
    }
  }

  @Test
  void whatCannotBecomeATemplateLeavesNone() throws Exception {
    Path layout = busyboxImage();
    record Case(int status, String says, List<String> options) {}
    List<Case> cases =
        List.of(
            new Case(2, "does not exist", List.of("--oci", "/no/such/image")),
            new Case(2, "not a container image", List.of("--oci", scratch.toString())),
            new Case(2, "there is no image named", List.of("--oci", "" + layout, "--tag", "none")),
            new Case(2, "linux/arm64", List.of("--oci", "" + layout, "--platform", "linux/arm64")),
            new Case(2, "does not fit", List.of("--oci", "" + largeImage(), "--disk", "32M")),
            new Case(
                2,
                "PASSWORD is not set",
                List.of(
                    "--oci",
                    "" + layout,
                    "--start",
                    "echo PASSWORD is not set; exit 3",
                    "--disk",
                    "128M",
                    "--memory",
                    "128M")));
    for (Case one : cases) {
      List<String> arguments = new ArrayList<>(List.of("template", "build", "--name", "never"));
      arguments.addAll(one.options());
      Installed.Run run = host.run(arguments.toArray(String[]::new));
      assertEquals(one.status(), run.status(), one.says() + ": " + run.err());
      assertTrue(run.err().contains(one.says()), run.err());
    }
    assertFalse(host.run("template", "ls").out().contains("never"));
    assertEquals(List.of(), ramet.list());
  }

  @Test
  void aForkThatBootsMayHaveALargerDisk() throws Exception {
    try (Sandbox origin = ramet.create("micro")) {
      origin.run("echo kept > /root/file; sync").text();
      long before = diskMegabytes(origin);
      Snapshot disk =
          origin.snapshot(new CreateSnapshot("disk", null, null, null, false, null, null));
      Snapshot warm = origin.snapshot("warm");
      Installed.Run forked = host.run("snapshot", "fork", disk.id(), "--disk", "3G");
      assertEquals(0, forked.status(), forked.err());
      try (Sandbox larger = ramet.sandbox(forked.out().strip())) {
        assertEquals(3072, larger.info().diskSizeMB());
        assertTrue(diskMegabytes(larger) > 2900, "the guest sees " + diskMegabytes(larger));
        assertEquals("kept", larger.run("cat /root/file").text().strip());
        // Needs more space than the original disk has.
        String filling = "dd if=/dev/zero of=/root/big bs=1M count=1100 2>/dev/null";
        larger.run(Command.shell(filling).within(Duration.ofMinutes(10))).text();
        larger.run("rm /root/big").text();
        // It can be cloned like any other sandbox, memory included.
        try (Sandboxes clones = larger.clone(1)) {
          assertTrue(diskMegabytes(clones.get(0)) > 2900);
        }
      }
      assertEquals(before, diskMegabytes(origin));
      assertEquals(1024, disk.info().diskSizeMB());
      String smaller = refused(disk, "512M");
      assertTrue(smaller.contains("--disk: must be at least"), smaller);
      String inMemory = refused(warm, "3G");
      assertTrue(inMemory.contains("change memoryMB"), inMemory);
      disk.delete();
      warm.delete();
    }
  }

  private String refused(Snapshot snapshot, String size) throws Exception {
    Installed.Run run = host.run("snapshot", "fork", snapshot.id(), "--disk", size);
    assertEquals(2, run.status(), run.err());
    return run.err();
  }

  private static long diskMegabytes(Sandbox sandbox) {
    return Long.parseLong(sandbox.run("df -m / | awk 'NR==2 { print $2 }'").text().strip());
  }

  private Installed.Run build(Path layout, String name, String... options) throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("template", "build", "--oci", layout.toString(), "--name", name));
    arguments.addAll(List.of(options));
    return host.run(arguments.toArray(String[]::new));
  }

  /** Makes an image with a shell, its own user, and a command that records how it was started. */
  private Path busyboxImage() throws Exception {
    Path root = Files.createTempDirectory(scratch, "root");
    // Its mode becomes that of the image's root.
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectories(root.resolve("bin"));
    Files.createDirectories(root.resolve("etc"));
    Files.createDirectories(root.resolve("app"));
    executable(root.resolve("bin/busybox"), busybox);
    for (String applet :
        List.of("sh", "id", "sleep", "pidof", "stat", "test", "echo", "cat", "awk", "touch")) {
      Files.createSymbolicLink(root.resolve("bin").resolve(applet), Path.of("busybox"));
    }
    Files.writeString(
        root.resolve("etc/passwd"), "root:x:0:0::/root:/bin/sh\napp:x:70:71::/app:/bin/sh\n");
    Files.writeString(root.resolve("etc/group"), "root:x:0:\napp:x:71:\n");
    executable(
        root.resolve("app/start"),
        "#!/bin/sh\necho $(id -u) $(id -g) > ran\necho $PWD $COLOR >> ran\necho started\nexec sleep \"$@\"\n"
            .getBytes(StandardCharsets.UTF_8));
    executable(root.resolve("app/suid"), new byte[] {1});
    Runtime.getRuntime()
        .exec(new String[] {"chmod", "4755", root.resolve("app/suid").toString()})
        .waitFor();
    Files.setPosixFilePermissions(
        root.resolve("app"), PosixFilePermissions.fromString("rwxrwxrwx"));
    Path layout = Files.createTempDirectory(scratch, "image");
    OciImage.make(
        layout,
        root,
        Map.of(
            "User",
            "app",
            "Env",
            List.of("COLOR=green", "PATH=/bin"),
            "WorkingDir",
            "/app",
            "Entrypoint",
            List.of("/app/start"),
            "Cmd",
            List.of("100000")));
    return layout;
  }

  private Path largeImage() throws Exception {
    Path root = Files.createDirectories(scratch.resolve("large-root"));
    executable(root.resolve("large"), new byte[40 << 20]);
    Path layout = scratch.resolve("large-image");
    OciImage.make(layout, root, Map.of());
    return layout;
  }

  private static void executable(Path file, byte[] content) throws Exception {
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
