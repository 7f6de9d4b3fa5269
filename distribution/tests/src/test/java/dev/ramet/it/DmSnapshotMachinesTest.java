// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.WantedShape;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.testing.Features;
import dev.ramet.testing.Require;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Tests real machines whose disks and memory images are device-mapper volumes: they are captured
 * while they write, rolled back and cloned. Where {@code RAMET_REQUIRE} names {@code kvm} and
 * {@code write-tracking}, a processor and not an emulator writes their pages, and the writes are
 * tracked.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DmSnapshotMachinesTest {
  private static final Path DEVICES = Path.of("/sys/block");

  /**
   * Appends a growing number to a file and flushes it, in a loop. The number in memory is never
   * behind the file and at most one ahead.
   */
  private static final String WRITER =
      "echo 0 > /tmp/count; : > /root/log; "
          + "setsid sh -c 'n=0; while true; do n=$((n + 1)); echo $n > /tmp/count.new; "
          + "mv /tmp/count.new /tmp/count; echo $n >> /root/log; sync /root/log; done' "
          + ">/dev/null 2>&1 & echo $!";

  private Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    Features.deviceMapper();
    ground = Ground.makeOn("dm-snapshot");
  }

  @AfterAll
  void clear() throws Exception {
    if (ground != null) {
      ground.close();
    }
    assertEquals(0, devices(), "devices stay behind");
  }

  /** Returns the number of this project's device-mapper devices. */
  private static long devices() throws IOException {
    try (Stream<Path> all = Files.list(DEVICES)) {
      return all.map(device -> device.resolve("dm/name"))
          .filter(Files::exists)
          .filter(name -> read(name).startsWith("ramet-"))
          .count();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException gone) {
      return "";
    }
  }

  @Test
  @Timeout(900)
  void aWritingMachineIsCapturedRolledBackAndCloned() throws Exception {
    SortedSet<String> before = ground.files();
    Sandbox sandbox = ground.create();
    String id = sandbox.id();
    assertOnDevice(sandbox);
    GuestShell shell = ground.shell(id);
    shell.run("echo disk > /root/file && sync && echo memory > /tmp/file");
    String writer = shell.run(WRITER);
    awaitWrites(shell, 3);

    Snapshot snapshot = ground.engine().snapshots().create(id, "busy");
    CaptureReport report = Objects.requireNonNull(snapshot.capture());
    assertTrue(report.memoryBytesWritten() < report.memoryBytesTotal() / 2, report.toString());
    assertTracked(report);
    long captured = awaitWrites(shell, 1);
    // The volume continues in a new store, and so does the machine.
    awaitWrites(shell, captured + 3);

    // Relative to the previous snapshot: contains the writes to its protected pages.
    Snapshot later = ground.engine().snapshots().create(id, "busier");
    assertTracked(Objects.requireNonNull(later.capture()));
    Sandbox resumed = ground.create(later.id());
    assertOnDevice(resumed);
    assertOneInstant(ground.shell(resumed.id()), writer);
    ground.engine().sandboxes().kill(resumed.id());
    ground.engine().snapshots().delete("busier", false);

    shell.run("kill -9 " + writer + "; rm /root/file /tmp/file; sync");
    assertNotEquals(0, shell.execute("cat /root/file").exitCode());
    Sandbox after = ground.engine().sandboxes().rollback(id, "busy").sandbox();
    assertEquals(Sandbox.State.RUNNING, after.state());
    assertOnDevice(after);
    assertEquals(1, ground.machines().size(), "the old machine is gone");

    Sandbox clone =
        ground.engine().sandboxes().clone(id, new CloneRequest(1, 1, null)).sandboxes().get(0);
    assertOnDevice(clone);
    GuestShell inside = ground.shell(clone.id());
    assertOneInstant(inside, writer);
    inside.run("echo clone > /root/file; sync");
    assertOneInstant(ground.shell(id), writer);

    ground.engine().sandboxes().list().forEach(s -> ground.engine().sandboxes().kill(s.id()));
    ground.engine().snapshots().delete("busy", false);
    assertEquals(before, ground.files());
  }

  @Test
  @Timeout(900)
  void aForkThatBootsHasALargerDisk() throws Exception {
    SortedSet<String> before = ground.files();
    Sandbox origin = ground.create();
    ground.shell(origin.id()).run("echo disk > /root/file && sync");
    Snapshot snapshot =
        ground.engine().snapshots().create(NewSnapshot.named(origin.id(), null).withoutMemory());
    Sandbox larger =
        ground
            .engine()
            .sandboxes()
            .create(
                NewSandbox.of(snapshot.id()).shape(new WantedShape(null, null, 2L << 30)).build());
    GuestShell inside = ground.shell(larger.id());
    assertEquals("disk", inside.run("cat /root/file"));
    String blocks = "df -m / | awk 'NR == 2 { print $2 }'";
    assertTrue(Long.parseLong(inside.run(blocks)) > 1900);
    assertTrue(Long.parseLong(ground.shell(origin.id()).run(blocks)) < 1024);
    ground.engine().sandboxes().list().forEach(s -> ground.engine().sandboxes().kill(s.id()));
    ground.engine().snapshots().delete(snapshot.id(), false);
    assertEquals(before, ground.files());
  }

  /** Waits until the file has at least this many lines and returns how many it has. */
  private static long awaitWrites(GuestShell shell, long lines) throws Exception {
    long end = System.nanoTime() + 60_000_000_000L;
    while (true) {
      long written = Long.parseLong(shell.run("wc -l < /root/log"));
      if (written >= lines) {
        return written;
      }
      assertTrue(System.nanoTime() < end, "the machine does not write");
      Thread.sleep(100);
    }
  }

  /** Checks that the writer is alive, stops it and compares its memory with the disk. */
  private static void assertOneInstant(GuestShell shell, String writer) throws Exception {
    assertEquals("disk", shell.run("cat /root/file"));
    assertEquals("memory", shell.run("cat /tmp/file"));
    long written = awaitWrites(shell, 1);
    awaitWrites(shell, written + 1);
    shell.run("kill -9 " + writer + "; sync; echo 3 > /proc/sys/vm/drop_caches");
    long count = Long.parseLong(shell.run("cat /tmp/count"));
    long last = Long.parseLong(shell.run("tail -n 1 /root/log"));
    assertTrue(count == last || count == last + 1, count + " in memory, " + last + " on disk");
    // From the disk alone: no number is missing, and none is torn.
    assertEquals(
        Long.toString(last), shell.run("awk '$1 != NR { exit 1 } END { print NR }' /root/log"));
    assertEquals("", shell.run("dmesg | grep -iE 'ext4.*error|i/o error' || true"));
  }

  /**
   * Requires write tracking where {@code RAMET_REQUIRE} says that the kernel has it; a weaker mode
   * would prove less.
   */
  private static void assertTracked(CaptureReport report) {
    if (Require.isRequired("write-tracking")) {
      assertEquals("write-tracking", report.mode(), report::toString);
    }
  }

  private void assertOnDevice(Sandbox sandbox) throws IOException {
    String command =
        Files.readString(
            Path.of("/proc/" + Objects.requireNonNull(sandbox.hypervisorPid()) + "/cmdline"));
    assertTrue(command.contains("host_device"), command);
    assertTrue(command.contains("/dev/dm-"), command);
    if (Require.isRequired("kvm")) {
      assertTrue(command.contains("\0-accel\0kvm\0"), () -> "not on KVM: " + command);
    }
  }
}
