// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Modes.INCREMENTAL;
import static dev.ramet.it.Modes.SOFT_DIRTY;
import static dev.ramet.it.Modes.forced;
import static dev.ramet.it.Modes.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.testing.Require;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests real machines whose written pages are found by soft-dirty bits, on kernels that support
 * them; with {@code kvm} in {@code RAMET_REQUIRE} a processor does the writes. Every capture is
 * compared with all of the machine's memory.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SoftDirtyMachinesTest {
  private static final int GENERATIONS = 3;
  private static final long BALLAST_BYTES = 24L << 20;

  private Ground ground;

  @BeforeAll
  void makeGround(@TempDir Path scratch) throws Exception {
    ProbeResult found =
        ServiceLoader.load(ModuleLayer.boot(), MemoryModeProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(provider -> provider.id().equals(SOFT_DIRTY))
            .findFirst()
            .orElseThrow()
            .probe(new ProbeContext(scratch));
    Require.feature("softdirty", found instanceof ProbeResult.Usable, found.toString());
    ground = Ground.make();
  }

  @AfterAll
  void clear() throws Exception {
    if (ground != null) {
      ground.close();
    }
  }

  private static void assertSoftDirty(String reason, Snapshot snapshot) {
    CaptureReport report = report(snapshot);
    assertEquals(SOFT_DIRTY, report.mode(), report::modeReason);
    assertTrue(report.modeReason().contains(reason), report::modeReason);
  }

  /** Writes bytes to memory and disk, different ones each time. */
  private static void write(GuestShell shell, int generation) throws IOException {
    shell.run("seq " + generation + " 9 40000 > /tmp/file; cp /tmp/file /root/file; sync");
  }

  private void assertHolds(Snapshot snapshot, int generation) throws IOException {
    Sandbox back = ground.create(snapshot.id());
    GuestShell shell = ground.shell(back.id());
    shell.run("seq " + generation + " 9 40000 | cmp - /tmp/file && cmp /tmp/file /root/file");
    shell.run("test $(wc -c < /tmp/ballast) = " + BALLAST_BYTES);
    ground.engine().sandboxes().kill(back.id());
  }

  @Test
  @Timeout(900)
  void eachCaptureHoldsItsInstantAndWritesWhatChanged() throws Exception {
    Sandbox sandbox = ground.create();
    assertOnProcessor(sandbox);
    GuestShell shell = ground.shell(sandbox.id());
    shell.run("head -c " + BALLAST_BYTES + " /dev/urandom > /tmp/ballast");
    List<Snapshot> made = new ArrayList<>();
    for (int generation = 1; generation <= GENERATIONS; generation++) {
      write(shell, generation);
      made.add(forced(ground, sandbox.id(), SOFT_DIRTY));
    }
    // The first capture needs no special case: it is relative to the restored image.
    assertSoftDirty("restored from", made.get(0));
    assertTrue(report(made.get(0)).memoryBytesWritten() > BALLAST_BYTES);
    for (int i = 1; i < GENERATIONS; i++) {
      assertSoftDirty("previous capture, " + made.get(i - 1).id(), made.get(i));
      CaptureReport report = report(made.get(i));
      assertTrue(report.memoryBytesWritten() < BALLAST_BYTES, report::toString);
    }
    for (int i = 0; i < GENERATIONS; i++) {
      assertHolds(made.get(i), i + 1);
    }

    // A capture in another mode resets nothing, and is relative to the restored image.
    write(shell, GENERATIONS + 1);
    Snapshot other = forced(ground, sandbox.id(), INCREMENTAL);
    write(shell, GENERATIONS + 2);
    Snapshot after = forced(ground, sandbox.id(), SOFT_DIRTY);
    assertHolds(other, GENERATIONS + 1);
    assertHolds(after, GENERATIONS + 2);

    ground.engine().sandboxes().rollback(sandbox.id(), made.get(1).id());
    shell = ground.shell(sandbox.id());
    shell.run("seq 2 9 40000 | cmp - /tmp/file && cmp /tmp/file /root/file");
    write(shell, GENERATIONS + 3);
    Snapshot rolledBack = forced(ground, sandbox.id(), SOFT_DIRTY);
    assertSoftDirty("restored from " + made.get(1).id(), rolledBack);
    assertHolds(rolledBack, GENERATIONS + 3);
  }

  private static void assertOnProcessor(Sandbox sandbox) throws IOException {
    if (Require.isRequired("kvm")) {
      String command =
          Files.readString(
              Path.of("/proc/" + Objects.requireNonNull(sandbox.hypervisorPid()) + "/cmdline"));
      assertTrue(command.contains("\0-accel\0kvm\0"), () -> "not on KVM: " + command);
    }
  }
}
