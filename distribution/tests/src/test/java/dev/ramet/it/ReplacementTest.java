// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.CaptureReport;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.EngineConfig.MemoryVolumes;
import dev.ramet.engine.NewSnapshot;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Snapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Snapshots that take the place of an older one, with memory images in a root of their own where a
 * copy copies every byte: what they write, what they hold, and that nothing is ever written under a
 * reader. Every capture is compared with all of the machine's memory.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplacementTest {
  private static final String TRACKING = "write-tracking";
  private static final long MIB = 1 << 20;

  private MemoryVolumes way = MemoryVolumes.IN_PLACE;
  private Path memory = Path.of("");
  private Ground ground;
  private String id = "";
  private GuestShell shell;

  @BeforeAll
  void makeGround() throws Exception {
    memory = Files.createTempDirectory("ramet-it-memory-");
    ground =
        Ground.make(
            Files.createTempDirectory("ramet-it-"),
            0,
            config ->
                config
                    .withStorageBackend("byte-copy")
                    .withMemoryRoot(new EngineConfig.MemoryRoot(memory, "byte-copy"))
                    .withMemoryVolumes(way));
    ground.requireTracking();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
    try (Stream<Path> tree = Files.walk(memory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @BeforeEach
  void begin() {
    id = ground.create().id();
    shell = ground.shell(id);
  }

  @AfterEach
  void end() {
    ground.clear();
    assertTrue(ground.engine().storage().check(false).findings().isEmpty());
  }

  private Snapshot snapshot() {
    return ground.engine().snapshots().create(id, null);
  }

  private Snapshot replacing(Snapshot old) {
    return ground.engine().snapshots().create(NewSnapshot.of(id, null).replacing(old.id()));
  }

  /** Random bytes in the guest's memory; answers their hash. */
  private String write(String name) throws IOException {
    return shell.run("head -c 1000000 /dev/urandom > /tmp/" + name + "; sha256sum < /tmp/" + name);
  }

  private String restored(Snapshot snapshot, String name) throws IOException {
    Sandbox back = ground.create(snapshot.id());
    try {
      return ground.shell(back.id()).run("sha256sum < /tmp/" + name);
    } finally {
      ground.engine().sandboxes().kill(back.id());
    }
  }

  private Path image(Snapshot snapshot) throws IOException {
    Path name = Path.of(snapshot.id() + ".memory");
    return images().stream()
        .filter(path -> name.equals(path.getFileName()))
        .findFirst()
        .orElseThrow();
  }

  /** All memory images. */
  private List<Path> images() throws IOException {
    return Trees.below(memory.resolve("volumes")).stream()
        .filter(path -> path.toString().endsWith(".memory") && Files.isRegularFile(path))
        .toList();
  }

  private static long allocatedBytes(Path file) throws IOException {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    String blocks =
        new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    return 512 * Long.parseLong(blocks);
  }

  /** What this process has had the kernel write, copies within it included (proc_pid_io(5)). */
  private static long written() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/io")).stream()
        .filter(line -> line.startsWith("wchar: "))
        .mapToLong(line -> Long.parseLong(line.substring(7)))
        .sum();
  }

  private static CaptureReport report(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.capture());
  }

  private static CaptureReport.Replaced replaced(Snapshot snapshot) {
    return Objects.requireNonNull(report(snapshot).replaced());
  }

  private void assertGone(Snapshot old) {
    RametException gone =
        assertThrows(RametException.class, () -> ground.engine().snapshots().get(old.id()));
    assertEquals(ErrorCode.NOT_FOUND, gone.code());
  }

  @Test
  void whatChangedIsWrittenIntoTheVolumeThatIsGivenUp() throws Exception {
    String start = write("start");
    final Snapshot first = snapshot();
    Snapshot old = snapshot();
    String hash = write("file");
    final Object volume = Files.getAttribute(image(old), "unix:ino");
    long before = written();
    Snapshot made = replacing(old);
    final long inPlace = written() - before;
    assertTrue(replaced(made).inPlace(), replaced(made).toString());
    assertEquals(old.id(), replaced(made).snapshotId());
    assertEquals(volume, Files.getAttribute(image(made), "unix:ino"), "the same file");
    assertGone(old);

    before = written();
    Snapshot copied = snapshot();
    final long byCopy = written() - before;
    assertEquals(TRACKING, report(copied).mode(), report(copied).modeReason());
    assertTrue(report(copied).modeReason().contains(made.id()), "tracking goes on from it");
    long image = allocatedBytes(image(made));
    assertTrue(image > 32 * MIB, "something to spare: " + image);
    long changed = report(made).memoryBytesWritten();
    assertTrue(
        byCopy - inPlace > image - changed - 4 * MIB, byCopy + " " + inPlace + " of " + image);
    assertTrue(changed < 12 * MIB, "what changed: " + changed);

    assertEquals(hash, restored(made, "file"));
    assertEquals(start, restored(first, "start"));
    String next = write("file");
    Snapshot again = replacing(copied);
    assertTrue(replaced(again).inPlace(), replaced(again).toString());
    assertEquals(next, restored(again, "file"));
    assertEquals(hash, restored(made, "file"));
    assertTrue(ground.engine().storage().check(false).findings().isEmpty());
  }

  private void assertRebuilt(String reason, Snapshot old, Snapshot made) {
    assertFalse(replaced(made).inPlace());
    assertTrue(replaced(made).reason().contains(reason), replaced(made).toString());
    assertGone(old);
  }

  @Test
  void whatTheCaptureDoesNotBuildOnIsNotWrittenTo() throws Exception {
    Snapshot first = snapshot();
    Snapshot second = snapshot();
    String hash = write("file");
    Snapshot made = replacing(first);
    assertRebuilt("does not build on", first, made);
    assertEquals(hash, restored(made, "file"));
    ground.engine().sandboxes().rollback(id, second.id());
    shell = ground.shell(id);
    hash = write("file");
    Snapshot ofItself = replacing(second);
    assertRebuilt("still maps", second, ofItself);
    assertEquals(hash, restored(ofItself, "file"));
    assertEquals(hash, shell.run("sha256sum < /tmp/file"), "the machine's memory is its own");
    Sandbox other = ground.create();
    RametException foreign =
        assertThrows(
            RametException.class,
            () ->
                ground
                    .engine()
                    .snapshots()
                    .create(NewSnapshot.of(other.id(), null).replacing(made.id())));
    assertEquals(ErrorCode.INVALID_ARGUMENT, foreign.code());
    RametException nothing =
        assertThrows(
            RametException.class,
            () ->
                ground.engine().snapshots().create(NewSnapshot.of(id, null).replacing("nothing")));
    assertEquals(ErrorCode.NOT_FOUND, nothing.code());
  }

  @Test
  void whatASandboxRestsOnIsNotWrittenTo() throws Exception {
    String before = write("file");
    snapshot();
    Snapshot old = snapshot();
    Sandbox reader = ground.create(old.id());
    String hash = write("file");
    assertNotEquals(before, hash);
    Snapshot made = replacing(old);
    assertRebuilt("sandboxes rest on it: " + reader.id(), old, made);
    assertEquals(before, ground.shell(reader.id()).run("sha256sum < /tmp/file"));
    assertEquals(hash, restored(made, "file"));
  }

  @Test
  void whatSomebodyHasOpenIsNotWrittenTo() throws Exception {
    snapshot();
    Snapshot old = snapshot();
    try (FileChannel reader = FileChannel.open(image(old))) {
      byte[] before = all(reader);
      String hash = write("file");
      Snapshot made = replacing(old);
      assertRebuilt("has its memory image open", old, made);
      assertArrayEquals(before, all(reader), "under its reader nothing changes");
      assertEquals(hash, restored(made, "file"));
    }
  }

  private static byte[] all(FileChannel file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
    int read = 1;
    while (bytes.hasRemaining() && read > 0) {
      read = file.read(bytes, bytes.position());
    }
    return bytes.array();
  }

  @Test
  void whatIsBeingRestoredIsNotWrittenTo() throws Exception {
    String before = write("file");
    snapshot();
    Snapshot old = snapshot();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    ground
        .steps()
        .doAt(
            "create.machine",
            () -> {
              begun.countDown();
              try {
                assertTrue(goOn.await(1, TimeUnit.MINUTES));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    CompletableFuture<Sandbox> restore =
        CompletableFuture.supplyAsync(() -> ground.create(old.id()));
    assertTrue(begun.await(1, TimeUnit.MINUTES));
    write("file");
    Snapshot made = replacing(old);
    goOn.countDown();
    assertRebuilt("another operation reads it", old, made);
    Sandbox reader = restore.get(1, TimeUnit.MINUTES);
    assertEquals(before, ground.shell(reader.id()).run("sha256sum < /tmp/file"));
  }

  /**
   * Tracking that is lost when the old one is withdrawn already: the new one is whole all the same.
   */
  @Test
  void aCaptureThatIsTakenAgainInAnotherModeIsRebuilt() throws Exception {
    snapshot();
    Snapshot old = snapshot();
    String hash = write("file");
    boolean[] lost = {false};
    ground
        .steps()
        .doAt(
            "snapshot.select",
            () -> {
              if (!lost[0]) {
                lost[0] = true;
                throw new RametException(ErrorCode.UNSUPPORTED, "tracking lost: told so");
              }
            });
    Snapshot made = replacing(old);
    ground.steps().reset();
    assertEquals("incremental", report(made).mode());
    assertRebuilt("does not build on", old, made);
    assertEquals(hash, restored(made, "file"));
  }

  @Test
  void byDefaultTheOldOneGoesWhenTheNewOneIsReady() throws Exception {
    ground.closeEngine();
    way = MemoryVolumes.REBUILD;
    ground.openEngine();
    try {
      shell = ground.shell(id);
      snapshot();
      Snapshot old = snapshot();
      String hash = write("file");
      ground
          .steps()
          .doAt(
              "snapshot.publish",
              () -> assertEquals(old.id(), ground.engine().snapshots().get(old.id()).id()));
      Snapshot made = replacing(old);
      ground.steps().reset();
      assertRebuilt("by configuration", old, made);
      assertEquals(hash, restored(made, "file"));

      ground.steps().breakAt("snapshot.seal", 0);
      assertThrows(StepRecorder.Broken.class, () -> replacing(made));
      ground.steps().reset();
      assertEquals(hash, restored(made, "file"), "a failure gives nothing up");
    } finally {
      ground.closeEngine();
      way = MemoryVolumes.IN_PLACE;
      ground.openEngine();
    }
  }

  @Test
  void aFailureInPlaceLosesTheOldOneAndSaysNothingElse() throws Exception {
    snapshot();
    Snapshot old = snapshot();
    ground.steps().breakAt("snapshot.write", 0);
    assertThrows(StepRecorder.Broken.class, () -> replacing(old));
    ground.steps().reset();
    assertGone(old);
    String hash = write("file");
    Snapshot next = snapshot();
    assertEquals(hash, restored(next, "file"));
  }

  @TestFactory
  Stream<DynamicTest> killedAtEveryStep() {
    return Stream.of(
            "replace.withdraw",
            "replace.reuse",
            "snapshot.pause",
            "snapshot.write",
            "snapshot.seal",
            "snapshot.publish",
            "replace.delete")
        .map(step -> DynamicTest.dynamicTest(step, () -> crash(step)));
  }

  private void crash(String step) throws Exception {
    String hash = write("file");
    // Two snapshots come before it.
    int pass = step.startsWith("snapshot.") ? 2 : 0;
    ground.closeEngine();
    try {
      Process host =
          Hosts.start(
              "DyingHost",
              ground.dataRoot().toString(),
              "replace",
              id,
              step,
              Integer.toString(pass));
      try {
        assertTrue(host.waitFor(2, TimeUnit.MINUTES), "the host hangs");
        assertEquals(DyingHost.STATUS, host.exitValue(), "the step was reached");
      } finally {
        host.destroyForcibly();
      }
    } finally {
      ground.openEngine();
    }
    shell = ground.shell(id);
    List<Snapshot> found = ground.engine().snapshots().list(null);
    List<String> names = found.stream().map(Snapshot::name).sorted().toList();
    assertEquals(
        switch (step) {
          case "replace.withdraw" -> List.of("first", "victim");
          case "replace.delete" -> List.of("crashed", "first");
          default -> List.of("first");
        },
        names,
        "whatever is offered is whole");
    for (Snapshot snapshot : found) {
      assertEquals(Snapshot.Status.READY, snapshot.status());
      assertEquals(hash, restored(snapshot, "file"), snapshot.name());
    }
    assertEquals(hash, shell.run("sha256sum < /tmp/file"), "the sandbox runs on");
    assertEquals(found.size() + 1, images().size(), "no volume but theirs and the template's");
    assertTrue(ground.engine().storage().check(false).findings().isEmpty());
    found.forEach(snapshot -> ground.engine().snapshots().delete(snapshot.id(), false));
  }
}
