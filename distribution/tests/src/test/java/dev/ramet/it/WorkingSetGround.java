// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.Metric;
import dev.ramet.engine.Storage;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Ground for tests of the pages that a restored machine reads first. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WorkingSetGround {
  static final long POOL_BYTES = 3L << 30;
  static final long PATIENCE_NANOS = 30_000_000_000L;
  static final Duration SOON = Duration.ofMillis(300);

  String use = "ON";
  Duration after = SOON;
  Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    Path root = Files.createTempDirectory("ramet-it-");
    ground =
        Ground.make(
            root,
            POOL_BYTES,
            config ->
                config
                    .with("ramet.working-set", use)
                    .with("ramet.working-set-after", after.toString()));
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @AfterEach
  void end() {
    ground.steps().reset();
    killAll();
    ground
        .engine()
        .snapshots()
        .list(null)
        .forEach(s -> ground.engine().snapshots().delete(s.id(), false));
    reopen("ON", SOON);
  }

  void killAll() {
    ground.engine().sandboxes().list().forEach(s -> ground.engine().sandboxes().kill(s.id()));
  }

  void reopen(String use, Duration after) {
    ground.closeEngine();
    this.use = use;
    this.after = after;
    ground.openEngine();
  }

  /** Takes a snapshot of a machine with data in memory, then kills the machine. */
  Snapshot snapshot() throws IOException {
    Sandbox sandbox = ground.create();
    ground.shell(sandbox.id()).run("head -c 3000000 /dev/urandom > /tmp/file");
    Snapshot made = ground.engine().snapshots().create(sandbox.id(), null);
    ground.engine().sandboxes().kill(sandbox.id());
    Files.deleteIfExists(file(made.id()));
    return made;
  }

  Path file(String snapshotId) {
    return ground.root().resolve("snapshots").resolve(snapshotId).resolve("working-set");
  }

  double counted(String metric, String label) {
    return ground.engine().metrics().stream()
        .filter(one -> one.name().equals(metric))
        .flatMap(one -> one.samples().stream())
        .filter(sample -> sample.labels().containsValue(label))
        .mapToDouble(Metric.Sample::value)
        .sum();
  }

  double outcomes(String outcome) {
    return counted("ramet_working_sets_total", outcome);
  }

  double bytes(String what) {
    return counted("ramet_working_set_bytes_total", what);
  }

  void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, () -> what + "; " + samples());
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Restores the snapshot once to record its working set; returns the size in bytes. */
  long record(Snapshot snapshot) {
    double before = bytes("recorded");
    double count = outcomes("recorded");
    Sandbox first = ground.create(snapshot.id());
    await("recorded", () -> outcomes("recorded") > count);
    ground.engine().sandboxes().kill(first.id());
    assertTrue(Files.isRegularFile(file(snapshot.id())));
    return (long) (bytes("recorded") - before);
  }

  void assertNothingFound() {
    Storage.Report report = ground.engine().storage().check(false);
    assertTrue(report.findings().isEmpty(), report.findings().toString());
  }

  List<Metric.Sample> samples() {
    return ground.engine().metrics().stream()
        .filter(metric -> metric.name().startsWith("ramet_working_set"))
        .flatMap(metric -> metric.samples().stream())
        .toList();
  }

  java.nio.ByteBuffer read(Snapshot snapshot) throws IOException {
    return java.nio.ByteBuffer.wrap(Files.readAllBytes(file(snapshot.id())));
  }
}
