// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.Metric;
import dev.ramet.engine.Storage;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests working sets, the pages that a restored machine uses at once: they are recorded after the
 * first restore of a snapshot, and are in the page cache before the machine of a later restore
 * starts.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WorkingSetTest {
  private static final long POOL_BYTES = 3L << 30;
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final Duration SOON = Duration.ofMillis(300);

  private String use = "ON";
  private Duration after = SOON;
  private Ground ground;

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

  private void killAll() {
    ground.engine().sandboxes().list().forEach(s -> ground.engine().sandboxes().kill(s.id()));
  }

  private void reopen(String use, Duration after) {
    ground.closeEngine();
    this.use = use;
    this.after = after;
    ground.openEngine();
  }

  /** Takes a snapshot of a machine with data in memory, then kills the machine. */
  private Snapshot snapshot() throws IOException {
    Sandbox sandbox = ground.create();
    ground.shell(sandbox.id()).run("head -c 3000000 /dev/urandom > /tmp/file");
    Snapshot made = ground.engine().snapshots().create(sandbox.id(), null);
    ground.engine().sandboxes().kill(sandbox.id());
    Files.deleteIfExists(file(made.id()));
    return made;
  }

  private Path file(String snapshotId) {
    return ground.root().resolve("snapshots").resolve(snapshotId).resolve("working-set");
  }

  private Path image(String snapshotId) throws IOException {
    Path name = Path.of(snapshotId + ".memory");
    return Trees.below(ground.root().resolve("volumes")).stream()
        .filter(path -> name.equals(path.getFileName()) && Files.isRegularFile(path))
        .findFirst()
        .orElseThrow();
  }

  private static String output(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    try {
      assertEquals(0, process.waitFor(), String.join(" ", command));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return text.strip();
  }

  private static long cachedBytes(Path image) throws IOException {
    String text = output("fincore", "--bytes", "--noheadings", "--output", "RES", image.toString());
    return Long.parseLong(text);
  }

  /** Drops only this file's pages; no process may have it mapped. */
  private static void dropFromCache(Path image) throws IOException {
    output("sync", image.toString());
    output("dd", "if=" + image, "iflag=nocache", "count=0", "status=none");
    assertEquals(0, cachedBytes(image), "the cache is cold");
  }

  private double counted(String metric, String label) {
    return ground.engine().metrics().stream()
        .filter(one -> one.name().equals(metric))
        .flatMap(one -> one.samples().stream())
        .filter(sample -> sample.labels().containsValue(label))
        .mapToDouble(Metric.Sample::value)
        .sum();
  }

  private double outcomes(String outcome) {
    return counted("ramet_working_sets_total", outcome);
  }

  private double bytes(String what) {
    return counted("ramet_working_set_bytes_total", what);
  }

  private void await(String what, BooleanSupplier condition) {
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
  private long record(Snapshot snapshot) {
    double before = bytes("recorded");
    double count = outcomes("recorded");
    Sandbox first = ground.create(snapshot.id());
    await("recorded", () -> outcomes("recorded") > count);
    ground.engine().sandboxes().kill(first.id());
    assertTrue(Files.isRegularFile(file(snapshot.id())));
    return (long) (bytes("recorded") - before);
  }

  private void assertNothingFound() {
    Storage.Report report = ground.engine().storage().check(false);
    assertTrue(report.findings().isEmpty(), report.findings().toString());
  }

  @Test
  void theFirstRestoreRecordsAndALaterOneFindsThePagesInTheCache() throws Exception {
    Snapshot snapshot = snapshot();
    long recorded = record(snapshot);
    assertTrue(recorded > 1 << 20, "a kernel and an agent: " + recorded);
    assertTrue(recorded <= snapshot.memoryBytes() / 4, "bounded: " + recorded);
    Path image = image(snapshot.id());
    dropFromCache(image);
    double prefetched = bytes("prefetched");
    AtomicLong cachedBeforeStart = new AtomicLong();
    // The hypervisor is not started yet, so nobody else can have read anything.
    ground
        .steps()
        .doAt(
            "create.machine",
            () ->
                await(
                    "prefetched",
                    () -> {
                      try {
                        cachedBeforeStart.set(cachedBytes(image));
                      } catch (IOException e) {
                        throw new AssertionError(e);
                      }
                      return cachedBeforeStart.get() >= recorded;
                    }));
    Sandbox second = ground.create(snapshot.id());
    ground.steps().reset();
    assertTrue(cachedBeforeStart.get() < snapshot.memoryBytes() / 2, "and not all of the image");
    await("counted", () -> bytes("prefetched") > prefetched);
    assertEquals(recorded, (long) (bytes("prefetched") - prefetched));
    assertEquals("3000000", ground.shell(second.id()).run("wc -c < /tmp/file"));
    assertNothingFound();

    // Everything is cached by now: nothing is read again.
    double cached = outcomes("cached");
    ground.create(snapshot.id());
    await("seen to be cached", () -> outcomes("cached") > cached);
    assertEquals(recorded, (long) (bytes("prefetched") - prefetched));

    killAll();
    ground.engine().snapshots().delete(snapshot.id(), false);
    Path gone = file(snapshot.id()).getParent();
    await("deleted with the snapshot", () -> !Files.exists(gone));
  }

  @Test
  void rollbacksAndTemplatesHaveTheirsToo() throws Exception {
    Sandbox sandbox = ground.create();
    String template = ground.engine().templates().list().stream().findFirst().orElseThrow().id();
    await("of the template", () -> Files.exists(file(template)));
    Snapshot snapshot = ground.engine().snapshots().create(sandbox.id(), null);
    assertTrue(
        Files.isSameFile(file(template), file(snapshot.id())), "inherited until it has its own");
    double recorded = outcomes("recorded");
    ground.engine().sandboxes().rollback(sandbox.id(), snapshot.id());
    await("of the snapshot", () -> outcomes("recorded") > recorded);
    assertFalse(Files.isSameFile(file(template), file(snapshot.id())));

    double prefetches = outcomes("prefetched") + outcomes("cached");
    ground.engine().sandboxes().clone(sandbox.id(), new CloneRequest(2, 2, null));
    await(
        "clones make use of what the sandbox's snapshot knows",
        () -> outcomes("prefetched") + outcomes("cached") > prefetches);
    ground.engine().sandboxes().pause(sandbox.id(), true);
    double beforeResume = outcomes("prefetched") + outcomes("cached");
    ground.engine().sandboxes().resume(sandbox.id(), null, true);
    await(
        "and so does a sandbox that was paused",
        () -> outcomes("prefetched") + outcomes("cached") > beforeResume);
    assertEquals(recorded + 1, outcomes("recorded"), "nobody comes again for those");
    assertNothingFound();
  }

  @Test
  void offMeansOff() throws Exception {
    Snapshot known = snapshot();
    record(known);
    Snapshot unknown = snapshot();
    reopen("OFF", SOON);
    Path image = image(known.id());
    dropFromCache(image);
    byte[] before = Files.readAllBytes(file(known.id()));
    AtomicLong cachedBeforeStart = new AtomicLong(-1);
    ground
        .steps()
        .doAt(
            "create.machine",
            () -> {
              try {
                Thread.sleep(500);
                cachedBeforeStart.compareAndSet(-1, cachedBytes(image));
              } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    ground.create(known.id());
    ground.steps().reset();
    assertEquals(0, cachedBeforeStart.get());
    ground.create(unknown.id());
    Thread.sleep(SOON.toMillis() + 1000);
    assertFalse(Files.exists(file(unknown.id())));
    assertEquals(List.of(), samples(), "nothing is counted");
    assertEquals(java.nio.ByteBuffer.wrap(before), read(known));
  }

  private List<Metric.Sample> samples() {
    return ground.engine().metrics().stream()
        .filter(metric -> metric.name().startsWith("ramet_working_set"))
        .flatMap(metric -> metric.samples().stream())
        .toList();
  }

  private java.nio.ByteBuffer read(Snapshot snapshot) throws IOException {
    return java.nio.ByteBuffer.wrap(Files.readAllBytes(file(snapshot.id())));
  }

  @Test
  void aDamagedFileHarmsNothingAndIsRecordedAnew() throws Exception {
    Snapshot snapshot = snapshot();
    record(snapshot);
    Path file = file(snapshot.id());
    byte[] good = Files.readAllBytes(file);
    byte[] flipped = good.clone();
    flipped[flipped.length / 2] ^= 1;
    List<byte[]> damaged =
        List.of(new byte[0], flipped, java.util.Arrays.copyOf(good, good.length - 3));
    for (byte[] content : damaged) {
      Files.write(file, content);
      double ignored = outcomes("ignored");
      record(snapshot);
      assertTrue(outcomes("ignored") > ignored);
      assertNothingFound();
    }
    Files.delete(file);
    Files.createDirectory(file);
    double failed = outcomes("failed");
    Sandbox sandbox = ground.create(snapshot.id());
    await("a directory cannot be replaced by a file", () -> outcomes("failed") > failed);
    assertEquals("3000000", ground.shell(sandbox.id()).run("wc -c < /tmp/file"));
    Files.delete(file);
    assertNothingFound();
  }

  /** A machine that is killed or captured too early is not recorded; the next restore is. */
  @Test
  void aMachineThatEndsOrIsCapturedEarlyIsNotLookedAt() throws Exception {
    Snapshot snapshot = snapshot();
    Sandbox killed = ground.create(snapshot.id());
    ground.engine().sandboxes().kill(killed.id());
    Thread.sleep(SOON.toMillis() + 1000);
    assertFalse(Files.exists(file(snapshot.id())));

    Sandbox captured = ground.create(snapshot.id());
    Snapshot next = ground.engine().snapshots().create(captured.id(), null);
    Thread.sleep(SOON.toMillis() + 1000);
    assertFalse(Files.exists(file(snapshot.id())), "a comparison has read all of its memory");
    assertFalse(Files.exists(file(next.id())));
    record(snapshot);
  }

  /** An unfinished file left by a host that died is replaced. */
  @Test
  void aHalfWrittenFileIsATemporaryOne() throws Exception {
    Snapshot snapshot = snapshot();
    Path half = file(snapshot.id()).resolveSibling(".working-set.new");
    Files.writeString(half, "half of it");
    assertNothingFound();
    record(snapshot);
    assertFalse(Files.exists(half));
  }
}
