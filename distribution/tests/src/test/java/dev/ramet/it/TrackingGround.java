// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** Ground for tests of captures of what was written since the last one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TrackingGround {
  static final String TRACKING = "write-tracking";

  Ground ground;
  String id = "";
  GuestShell shell;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
    ground.requireTracking();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @BeforeEach
  void begin() {
    use(ground.create());
  }

  final void use(Sandbox sandbox) {
    id = sandbox.id();
    shell = ground.shell(id);
  }

  @AfterEach
  void end() {
    ground.clear();
  }

  Snapshot snapshot() {
    return ground.engine().snapshots().create(id, null);
  }

  Snapshot snapshot(String mode) {
    return ground.engine().snapshots().create(NewSnapshot.named(id, null).by(mode));
  }

  static CaptureReport report(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.capture());
  }

  static void assertMode(String mode, String reason, Snapshot snapshot) {
    CaptureReport report = report(snapshot);
    assertEquals(mode, report.mode(), report.modeReason());
    assertTrue(report.modeReason().contains(reason), report.modeReason());
  }

  static void assertFollows(Snapshot previous, Snapshot snapshot) {
    assertMode(TRACKING, "previous capture, " + previous.id(), snapshot);
  }

  /** Writes random bytes to memory and disk; returns their hash. */
  String write(String name) throws IOException {
    return shell.run(
        ("head -c 1000000 /dev/urandom > /tmp/NAME; cp /tmp/NAME /root/NAME; sync;"
                + " sha256sum < /tmp/NAME")
            .replace("NAME", name));
  }

  static String hash(GuestShell shell, String name) throws IOException {
    String memory = shell.run("sha256sum < /tmp/" + name);
    assertEquals(memory, shell.run("sha256sum < /root/" + name), "disk and memory are a pair");
    return memory;
  }

  /** Returns the hash of a file in a machine restored from the snapshot. */
  String restored(Snapshot snapshot, String name) throws IOException {
    Sandbox back = ground.create(snapshot.id());
    try {
      return hash(ground.shell(back.id()), name);
    } finally {
      ground.engine().sandboxes().kill(back.id());
    }
  }

  static List<Double> told(CaptureReport report) {
    long put = report.memoryBytesWritten() + report.memoryBytesHoles();
    return List.of(
        1.0,
        (double) report.memoryBytesSelected(),
        (double) report.memoryBytesWritten(),
        (double) report.memoryBytesHoles(),
        (double) (report.memoryBytesSelected() - put),
        (double) report.precopyBytes(),
        (double) report.precopyRounds(),
        1.0,
        report.pauseNanos() / 1e9,
        Objects.requireNonNull(report.pausePhaseNanos().get("devices")) / 1e9);
  }
}
