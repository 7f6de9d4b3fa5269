// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.Progress;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.templates.BuildTemplate;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.SortedSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests changes of a real machine's memory that simple tracking would miss. Every capture is
 * compared with all of the paused machine's memory.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MemoryPathsTest {
  private static final long MIB = 1 << 20;
  private static final long LARGE_MB = 4608;

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
  void end() {
    ground.clear();
  }

  private Snapshot snapshot(Sandbox sandbox, String mode) {
    String wanted = mode.equals("best") ? null : mode;
    return ground
        .engine()
        .snapshots()
        .create(NewSnapshot.named(sandbox.id(), null).by(wanted).verified());
  }

  private static CaptureReport report(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.capture());
  }

  private String inRestored(Snapshot snapshot, String command) throws Exception {
    Sandbox back = ground.create(snapshot.id());
    try {
      return ground.shell(back.id()).run(command);
    } finally {
      ground.engine().sandboxes().kill(back.id());
    }
  }

  /**
   * The host moves the machine's memory to swap; some of it is written afterwards, some only read.
   */
  @ParameterizedTest
  @ValueSource(strings = {"best", "incremental"})
  void memoryInTheHostsSwap(String mode) throws Exception {
    Sandbox sandbox = ground.create();
    GuestShell shell = ground.shell(sandbox.id());
    shell.run("head -c 24000000 /dev/urandom > /tmp/a; head -c 8000000 /dev/urandom > /tmp/b");
    String all = "cat /tmp/a /tmp/b | sha256sum";
    try (HostSwap swap = HostSwap.on(ground.dataRoot())) {
      snapshot(sandbox, mode);
      long moved = swap.moveOut(machine(sandbox));
      assertTrue(moved > 8 * MIB, moved + " bytes were swapped");
      Snapshot inSwap = snapshot(sandbox, mode);
      swap.moveOut(machine(sandbox));
      shell.run("head -c 4000000 /tmp/a > /dev/null; head -c 3000000 /dev/urandom > /tmp/b");
      String hash = shell.run(all);
      swap.moveOut(machine(sandbox));
      Snapshot written = snapshot(sandbox, mode);
      assertEquals(hash, inRestored(written, all));
      assertTrue(!hash.equals(inRestored(inSwap, all)));
    }
  }

  private static long machine(Sandbox sandbox) {
    return Objects.requireNonNull(sandbox.hypervisorPid());
  }

  /**
   * A disk's content reaches memory through device emulation and not by writes of the processor.
   */
  @ParameterizedTest
  @ValueSource(strings = {"best", "incremental"})
  void pagesThatADiskWrote(String mode) throws Exception {
    Sandbox sandbox = ground.create();
    GuestShell shell = ground.shell(sandbox.id());
    shell.run("head -c 16777216 /dev/urandom > /root/big; sync; echo 3 > /proc/sys/vm/drop_caches");
    snapshot(sandbox, mode);
    String hash = shell.run("sha256sum < /root/big");
    Snapshot cached = snapshot(sandbox, mode);
    assertTrue(report(cached).memoryBytesSelected() >= 16 * MIB, report(cached).toString());
    assertEquals(hash, inRestored(cached, "sha256sum < /root/big"));
    shell.run("echo 3 > /proc/sys/vm/drop_caches");
    assertEquals(hash, shell.run("sha256sum < /root/big"));
    snapshot(sandbox, mode);
  }

  /** Memory continues above the hole for PCI devices; hardly any of it is ever touched. */
  @Test
  void aMachineWithMoreThanFourGibibytes() throws Exception {
    ground
        .engine()
        .templates()
        .build(new BuildTemplate("micro", "large", null, LARGE_MB * MIB, null), Progress.NONE);
    Sandbox sandbox = ground.create("large");
    GuestShell shell = ground.shell(sandbox.id());
    long total =
        Long.parseLong(shell.run("sed -n 's/^MemTotal: *\\([0-9]*\\).*/\\1/p' /proc/meminfo"));
    assertTrue(total > 4L << 20, total + " KiB");
    String above =
        shell.run("grep -c '^ *1[0-9a-f]*[0-9a-f]\\{8\\}-.*System RAM' /proc/iomem || true");
    assertTrue(Integer.parseInt(above) > 0, "memory above 4 GiB: " + shell.run("cat /proc/iomem"));
    // Linux allocates the highest memory first.
    shell.run("head -c 20000000 /dev/urandom > /tmp/file");
    Snapshot first = snapshot(sandbox, "best");
    shell.run("head -c 3000000 /dev/urandom >> /tmp/file");
    String hash = shell.run("sha256sum < /tmp/file");
    Snapshot second = snapshot(sandbox, "best");
    assertTrue(report(first).memoryBytesWritten() < 400 * MIB, report(first).toString());
    assertTrue(report(second).memoryBytesWritten() < 64 * MIB, report(second).toString());
    assertEquals(hash, inRestored(second, "sha256sum < /tmp/file"));
    assertTrue(!hash.equals(inRestored(first, "sha256sum < /tmp/file")));
  }

  /** Verification must detect a change to a page that was not selected. */
  @Test
  void aCaptureThatLacksAPageIsRefused() throws Exception {
    Sandbox sandbox = ground.create();
    snapshot(sandbox, "best");
    SortedSet<String> before = ground.files();
    ground.steps().doAt("snapshot.read", () -> flip(machine(sandbox)));
    RametException e = assertThrows(RametException.class, () -> snapshot(sandbox, "best"));
    ground.steps().resetWhenDone();
    assertEquals(ErrorCode.CORRUPT, e.code(), e.toString());
    assertTrue(String.valueOf(e.getMessage()).contains("differs"), e.toString());
    assertEquals(before, ground.files());
    flip(machine(sandbox));
    ground.shell(sandbox.id()).run("true");
    snapshot(sandbox, "best");
  }

  /** Flips a bit in the last page of the machine's memory. */
  private static void flip(long pid) {
    try (RandomAccessFile memory = new RandomAccessFile("/proc/" + pid + "/mem", "rw")) {
      long end =
          Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream()
              .filter(line -> line.endsWith(".memory"))
              .mapToLong(line -> Long.parseLong(line, line.indexOf('-') + 1, line.indexOf(' '), 16))
              .max()
              .orElseThrow();
      memory.seek(end - 1);
      int before = memory.read();
      memory.seek(end - 1);
      memory.write(before ^ 1);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
