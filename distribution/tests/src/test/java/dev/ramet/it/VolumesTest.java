// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.volumes.Volume;
import dev.ramet.engine.volumes.VolumeContent;
import dev.ramet.engine.volumes.VolumeMount;
import dev.ramet.engine.volumes.Volumes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests real machines that share volumes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class VolumesTest {
  private static final VolumeContent.Attributes PLAIN =
      new VolumeContent.Attributes(null, null, null);

  private Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @AfterEach
  void removeAll() {
    ground.clear();
    volumes().list().forEach(volume -> volumes().delete(volume.id()));
  }

  private Volumes volumes() {
    return ground.engine().volumes();
  }

  private Sandboxes sandboxes() {
    return ground.engine().sandboxes();
  }

  private Sandbox create(String source, VolumeMount... mounts) {
    return sandboxes()
        .create(NewSandbox.of(source).rules(SandboxRules.PLAIN.with(List.of(mounts))).build());
  }

  @Test
  void sandboxesShareFilesAndNoRollbackTouchesThem() throws Exception {
    Volume volume = volumes().create("shared");
    VolumeMount mount = new VolumeMount("shared", "/mnt/shared");
    Sandbox one = create(Ground.TEMPLATE, mount);
    Sandbox other = create(Ground.TEMPLATE, mount);
    GuestShell shell = ground.shell(one.id());
    shell.run("echo first > /mnt/shared/log; echo mine > /root/own");
    assertEquals("first", ground.shell(other.id()).run("cat /mnt/shared/log"));
    assertEquals(
        List.of(mount.resolvedTo(volume)),
        sandboxes().get(one.id()).rules().volumes(),
        "it is told");

    ground.engine().snapshots().create(one.id(), "before");
    shell.run("echo second >> /mnt/shared/log; echo changed > /root/own");
    sandboxes().rollback(one.id(), "before");
    shell = ground.shell(one.id());
    assertEquals("mine", shell.run("cat /root/own"));
    assertEquals("first\nsecond", shell.run("cat /mnt/shared/log"));
    ground.shell(other.id()).run("echo third >> /mnt/shared/log");
    assertEquals("first\nsecond\nthird", shell.run("cat /mnt/shared/log"));

    List<Sandbox> clones = sandboxes().clone(one.id(), new CloneRequest(2, 1, null)).sandboxes();
    for (Sandbox clone : clones) {
      assertEquals(List.of(mount.resolvedTo(volume)), clone.rules().volumes());
      ground.shell(clone.id()).run("echo " + clone.id() + " >> /mnt/shared/log");
    }
    assertEquals(
        "first\nsecond\nthird\n" + clones.get(0).id() + "\n" + clones.get(1).id(),
        shell.run("cat /mnt/shared/log"));

    sandboxes().pause(one.id(), true);
    ground.shell(other.id()).run("echo while paused > /mnt/shared/log");
    RametException inUse = assertThrows(RametException.class, () -> volumes().delete(volume.id()));
    assertEquals(ErrorCode.CONFLICT, inUse.code());
    assertTrue(String.valueOf(inUse.getMessage()).contains(one.id()), inUse.getMessage());
    assertEquals(List.of(), ground.engine().storage().check(false).findings());
    sandboxes().resume(one.id(), null, true);
    assertEquals("while paused", ground.shell(one.id()).run("cat /mnt/shared/log"));
    sandboxes().pause(one.id(), false);
    sandboxes().resume(one.id(), null, true);
    assertEquals("while paused", ground.shell(one.id()).run("cat /mnt/shared/log"));
  }

  @Test
  void aGuestDoesWithFilesWhatItDoesWithItsOwn() throws Exception {
    Volume volume = volumes().create("files");
    Sandbox sandbox = create(Ground.TEMPLATE, new VolumeMount("files", "/mnt/v"));
    GuestShell shell = ground.shell(sandbox.id());
    shell.run("cd /mnt/v; mkdir -p a/b; echo x > a/b/f; ln -s f a/b/link; ln a/b/f a/hard");
    assertEquals("x", shell.run("cat /mnt/v/a/b/link"));
    assertEquals("2", shell.run("stat -c %h /mnt/v/a/hard"));
    shell.run("cd /mnt/v; mv a/b a/c; echo y >> a/c/f; [ \"$(cat a/hard)\" = \"x\ny\" ]");
    shell.run("cd /mnt/v; mv a/hard a/c/f2; rm a/c/f2 a/c/link; ! rmdir a; rm -r a; ! ls a");
    shell.run("cd /mnt/v; : > owned; chown 1000:1000 owned; chmod 4640 owned");
    assertEquals("1000:1000 640", shell.run("stat -c '%u:%g %a' /mnt/v/owned"));
    shell.run("touch -d '2020-01-02 03:04:05' /mnt/v/owned");
    assertEquals("1577934245", shell.run("stat -c %Y /mnt/v/owned"));
    shell.run("! mknod /mnt/v/device b 8 0; ! mkfifo /mnt/v/pipe");
    // A deleted file that is still open keeps its content.
    assertEquals(
        "kept more",
        shell
            .run(
                "cd /mnt/v; echo kept > t; exec 3<>t; rm t; ! [ -e t ]; cat <&3;"
                    + " exec 3<&-; echo more")
            .replace('\n', ' '));
    assertEquals(
        "new",
        shell.run(
            "cd /mnt/v; echo old > r; exec 3<r; echo new > s; mv s r;"
                + " [ \"$(cat <&3)\" = old ] && cat r"));
    assertEquals(
        "100", shell.run("mkdir /mnt/v/many; cd /mnt/v/many; seq 100 | xargs mkdir; ls | wc -l"));
    shell.run("df /mnt/v | grep -q ramet");
    byte[] large = new byte[3 << 20];
    new Random(7).nextBytes(large);
    shell.write("/mnt/v/large", large);
    assertArrayEquals(large, shell.read("/mnt/v/large"));
    VolumeContent content = volumes().content(volume.id());
    try (InputStream stream = content.read("/large").content()) {
      assertArrayEquals(large, stream.readAllBytes());
    }
    content.write(
        "/from/outside",
        new ByteArrayInputStream("hello".getBytes(StandardCharsets.UTF_8)),
        PLAIN,
        true,
        true);
    assertEquals("hello", shell.run("cat /mnt/v/from/outside"));
    shell.run("cp /bin/busybox /mnt/v/busybox; /mnt/v/busybox true; cd /mnt/v; cp large copy");
    shell.run("cmp /mnt/v/large /mnt/v/copy");
  }

  @Test
  void whatIsUnderWayOutlivesTheHost() throws Exception {
    Volume volume = volumes().create("lasting");
    Sandbox sandbox = create(Ground.TEMPLATE, new VolumeMount("lasting", "/mnt/v"));
    String id = sandbox.id();
    ground
        .shell(id)
        .run(
            "cd /mnt/v; (i=0; while [ ! -e stop ]; do i=$((i+1)); echo $i >> log; mkdir d$i ||"
                + " echo d$i >> /root/failed; done; echo $i > end) >/dev/null 2>&1 &");
    Path log = ground.root().resolve("shared-volumes/" + volume.id() + "/files/log");
    grows(log, 0);
    for (int i = 0; i < 3; i++) {
      ground.closeEngine();
      long before = Files.size(log);
      ground.openEngine();
      grows(log, before);
      ground.closeEngine();
      try {
        // Killed while serving the guest's requests.
        assertEquals(DyingHost.STATUS, dyingHost(log));
      } finally {
        ground.openEngine();
      }
    }
    GuestShell shell = ground.shell(id);
    shell.run(
        "touch /mnt/v/stop; for t in $(seq 600); do [ -e /mnt/v/end ] && break; sleep 0.1; done;"
            + " seq $(cat /mnt/v/end) > /tmp/wanted");
    assertEquals("", shell.run("diff /tmp/wanted /mnt/v/log; cat /root/failed 2>/dev/null; true"));
  }

  private int dyingHost(Path log) throws Exception {
    Process host =
        Hosts.start(
            "DyingHost", ground.dataRoot().toString(), "volumes", log.toString(), "none", "0");
    try {
      assertTrue(host.waitFor(2, TimeUnit.MINUTES), "the guest does not go on");
      return host.exitValue();
    } finally {
      host.destroyForcibly();
    }
  }

  private static void grows(Path file, long before) throws Exception {
    for (int i = 0; i < 6000; i++) {
      if (Files.exists(file) && Files.size(file) > before) {
        return;
      }
      Thread.sleep(20);
    }
    throw new AssertionError(file + " does not grow beyond " + before + " bytes");
  }

  @Test
  void aMountThatIsNotASandboxsOwnGoes() throws Exception {
    volumes().create("here");
    Sandbox sandbox = create(Ground.TEMPLATE, new VolumeMount("here", "/mnt/v"));
    ground.shell(sandbox.id()).run("echo secret > /mnt/v/f");
    ground.engine().snapshots().create(sandbox.id(), "with");
    Sandbox without = create("with");
    ground.shell(without.id()).run("! [ -e /mnt/v/f ]; ! grep -q fuse.ramet /proc/mounts");
    RametException absent =
        assertThrows(
            RametException.class,
            () -> create(Ground.TEMPLATE, new VolumeMount("absent", "/mnt/v")));
    assertEquals(ErrorCode.NOT_FOUND, absent.code());
    assertEquals(2, sandboxes().list().size());
  }
}
