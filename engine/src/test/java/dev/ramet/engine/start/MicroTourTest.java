// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.Doctor;
import dev.ramet.engine.machine.UserNetwork;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.ForkResult;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.PluginReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goes through the life of sandboxes on a hypervisor with a tap device, whose memory changes during
 * a save, which opens disks by their recorded paths, gives guests no generation id, and lets nobody
 * inject system calls.
 */
@Timeout(180)
class MicroTourTest {
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F', 2};
  private static final String LOG = "reference-dirty-log";

  @TempDir Path root;
  private MicroGround ground;

  @BeforeEach
  void open() throws Exception {
    ground = new MicroGround(root);
  }

  @AfterEach
  void close() {
    ground.close();
  }

  private Snapshot snapshot(String sandboxId) {
    // Verified: a page that is missing, or read before the save has changed it, fails the capture.
    return ground.engine.snapshots().create(NewSnapshot.named(sandboxId, null).verified());
  }

  private static CaptureReport capture(Snapshot snapshot) {
    return java.util.Objects.requireNonNull(snapshot.capture());
  }

  @Test
  void createSnapshotCloneForkRollBackPauseResume() throws Exception {
    ground.template("tour", ELF, false);
    Sandbox one = ground.create("tour", false, null);
    MicroGuest guest = ground.guest(one.id());
    ground.awaitCounting(guest);

    guest.write(5);
    Snapshot first = snapshot(one.id());
    assertEquals(LOG, capture(first).mode());
    guest.write(6);
    Snapshot second = snapshot(one.id());
    assertEquals(LOG, capture(second).mode());
    assertTrue(
        capture(second).modeReason().contains("since the previous capture"),
        capture(second).modeReason());
    assertTrue(capture(second).memoryBytesSelected() <= 4 * 4096, "the log names few pages");

    for (Sandbox clone :
        ground.engine.sandboxes().clone(one.id(), new CloneRequest(2, null, null)).sandboxes()) {
      holds(clone.id(), 1, 1);
    }
    for (ForkResult child :
        ground.engine.sandboxes().fork(one.id(), new CloneRequest(1, null, null))) {
      holds(assertInstanceOf(ForkResult.Made.class, child).sandbox().id(), 1, 1);
    }

    ground.engine.sandboxes().rollback(one.id(), first.id());
    holds(one.id(), 1, 0);
    ground.guest(one.id()).write(6);
    ground.guest(one.id()).write(6);
    ground.engine.sandboxes().pause(one.id(), true);
    ground.engine.sandboxes().resume(one.id(), null, true);
    holds(one.id(), 1, 2);
    assertEquals(LOG, capture(snapshot(one.id())).mode());
  }

  private void holds(String sandboxId, long five, long six) throws Exception {
    MicroGuest guest = ground.guest(sandboxId);
    ground.awaitCounting(guest);
    assertEquals(five, guest.read(5));
    assertEquals(six, guest.read(6));
  }

  @Test
  void memoryIsReadAfterTheSave() throws Exception {
    ground.template("order", ELF, false);
    Sandbox one = ground.create("order", false, null);
    ground.steps.clear();
    snapshot(one.id());
    int saved = ground.steps.indexOf("snapshot.devices");
    assertTrue(saved >= 0, () -> "" + ground.steps);
    assertTrue(ground.steps.indexOf("snapshot.select") > saved, () -> "" + ground.steps);
    assertTrue(ground.steps.indexOf("snapshot.read") > saved, () -> "" + ground.steps);
  }

  @Test
  void everyCopyIsReseededBeforeItIsReached() throws Exception {
    ground.template("seed", ELF, false);
    Sandbox one = ground.create("seed", false, null);
    Sandbox other = ground.create("seed", false, null);
    String first = ground.taps.requests(one.id()).get(0);
    String second = ground.taps.requests(other.id()).get(0);
    assertTrue(first.startsWith("POST /init "), first);
    assertNotEquals(entropy(first), entropy(second));
  }

  private static String entropy(String request) {
    int at = request.indexOf("\"entropy\":\"");
    assertTrue(at > 0, request);
    return request.substring(at, request.indexOf('"', at + 11));
  }

  @Test
  void copiesThatNobodyCouldReseedAreRefused() throws Exception {
    ground.template("cold", ELF, true);
    Sandbox one = ground.create("cold", false, null);
    Snapshot snapshot = snapshot(one.id());
    RametException e =
        assertThrows(RametException.class, () -> ground.create(snapshot.id(), false, null));
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("reseed"), e::toString);
  }

  @Test
  void disksAreLinkedInTheDirectoryOfTheirMachine() throws Exception {
    ground.template("disks", ELF, false);
    Sandbox one = ground.create("disks", false, null);
    Sandbox other = ground.create("disks", false, null);
    Path mine = disk(one.id());
    assertNotEquals(mine, disk(other.id()));
    assertTrue(Files.readString(mine).startsWith("disks"));
    ground.engine.sandboxes().kill(one.id());
    assertTrue(Files.notExists(mine));
  }

  private Path disk(String sandboxId) throws Exception {
    Path sandbox = ground.root.resolve("data/sandboxes").resolve(sandboxId);
    return sandbox.resolve("vm-1/disk0").toRealPath();
  }

  @Test
  void aGuestThatCannotBeConfinedDoesNotStart() throws Exception {
    ground.template("out", ELF, false);
    RametException e = assertThrows(RametException.class, () -> ground.create("out", true, null));
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
    assertNotNull(e.remedy());
    assertEquals(List.of(), ground.engine.sandboxes().list());
    assertEquals(Set.of(), ground.taps.machines(), "its network is removed again");
  }

  @Test
  void aKernelThatTheHypervisorDoesNotBoot() {
    RametException e =
        assertThrows(RametException.class, () -> ground.template("bz", new byte[1024], false));
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("ELF"), e::toString);
  }

  @Test
  void modesThatNeedMoreThanTheHypervisorAllows() throws Exception {
    Doctor.Report report = ground.engine.doctor().report(false);
    PluginReport mode = plugin(report, "write-tracking");
    assertEquals("unusable", mode.outcome().name());
    assertEquals("the hypervisor reference-micro does not offer [inject]", mode.outcome().reason());
    assertEquals("usable", plugin(report, LOG).outcome().name());
    ground.template("mode", ELF, false);
    RametException e =
        assertThrows(RametException.class, () -> ground.create("mode", false, "write-tracking"));
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("does not offer [inject]"), e::toString);
  }

  @Test
  void aHostWithoutANetworkForTheHypervisor() {
    ground.engine.close();
    ground.engine = ground.open(List.of(new UserNetwork()));
    Doctor.Report report = ground.engine.doctor().report(true);
    PluginReport.Outcome outcome = plugin(report, "reference-micro").outcome();
    assertEquals("no network in common with this host", outcome.reason());
    assertNotNull(outcome.remedy());
    assertEquals(Doctor.Verdict.BROKEN, report.verdict());
  }

  private static PluginReport plugin(Doctor.Report report, String id) {
    return report.plugins().stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
  }

  @Test
  void aHostThatStartsAnewFindsItsMachines() throws Exception {
    ground.template("again", ELF, false);
    Sandbox one = ground.create("again", false, null);
    ground.guest(one.id()).write(5);
    snapshot(one.id());
    ground.engine.close();
    ground.engine = ground.open(List.of(ground.taps));
    assertEquals(Sandbox.State.RUNNING, ground.engine.sandboxes().get(one.id()).state());
    holds(one.id(), 1, 0);
    Snapshot next = snapshot(one.id());
    assertNotEquals(LOG, capture(next).mode(), "its log was drained by the earlier host");
    ground.engine.sandboxes().kill(one.id());
    assertEquals(Set.of(), ground.taps.machines());
  }
}
