// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Modes.SOFT_DIRTY;
import static dev.ramet.it.Modes.TRACKING;
import static dev.ramet.it.Modes.report;
import static dev.ramet.it.Modes.snapshot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.engine.snapshots.ModeRefusal.Cause;
import dev.ramet.engine.snapshots.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Ground for tests of captures that use the next memory mode. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DegradationGround {
  Ground ground;
  LogRecorder log;
  boolean tracks;
  boolean softDirty;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
    log = LogRecorder.of("dev.ramet.engine.capture.Capturer");
    tracks = usable(TRACKING);
    softDirty = usable(SOFT_DIRTY);
  }

  boolean usable(String mode) {
    return ground.engine().doctor().report(false).plugins().stream()
        .anyMatch(plugin -> plugin.id().equals(mode) && plugin.outcome().name().equals("usable"));
  }

  @AfterAll
  void clear() throws Exception {
    log.close();
    ground.close();
  }

  @AfterEach
  void end() {
    ground.clear();
  }

  double counted(String mode, String used, Cause cause) {
    Map<String, String> labels =
        Map.of(
            "mode",
            mode,
            "used",
            used,
            "cause",
            cause.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    return ground.metric("ramet_memory_mode_passed_over_total", labels);
  }

  /**
   * Checks that the report, the manifest, the log and the metrics all say that {@code mode} was
   * passed over for this cause.
   */
  void assertPassedOver(Snapshot snapshot, String mode, Cause cause, double countedBefore)
      throws IOException {
    CaptureReport report = report(snapshot);
    ModeRefusal refusal =
        report.passedOver().stream().filter(r -> r.mode().equals(mode)).findFirst().orElseThrow();
    assertEquals(cause, refusal.cause(), report.modeReason());
    assertTrue(report.modeReason().contains(mode + ": " + refusal.detail()), report.modeReason());
    assertEquals(
        report.modeReason(), report(ground.engine().snapshots().get(snapshot.id())).modeReason());
    String manifest =
        Files.readString(
            ground.root().resolve("snapshots").resolve(snapshot.id()).resolve("manifest.json"));
    assertTrue(manifest.contains(report.modeReason()), manifest);
    assertTrue(manifest.contains(cause.name()), manifest);
    assertTrue(
        log.messages().stream()
            .anyMatch(
                line ->
                    line.contains(snapshot.id())
                        && line.endsWith(report.mode() + ": " + report.modeReason())),
        "not in the log: " + report.modeReason());
    assertEquals(countedBefore + 1, counted(mode, report.mode(), cause));
  }
}
