// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.CloneRequest;
import dev.ramet.engine.Engine;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.ImportTemplate;
import dev.ramet.engine.NewSnapshot;
import dev.ramet.engine.Progress;
import dev.ramet.engine.RametEngine;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Snapshot;
import dev.ramet.engine.Template;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A full disk, a machine that dies at the wrong moment, two who want the same, and bad requests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TroubleTest {
  private static final long POOL_BYTES = 700L << 20;

  /** What a full disk has left, which is less than what is written in memory. */
  private static final long FEW_BYTES = 3L << 20;

  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private static final String LAST_STEP = "snapshot.publish";

  /** What there is to do once the machine runs again. */
  private static final List<String> AFTER_THE_PAUSE =
      List.of("snapshot.write", "snapshot.seal", LAST_STEP);

  private Ground ground;
  private Sandbox sandbox;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make(POOL_BYTES);
    sandbox = ground.create();
    ground.shell(sandbox.id()).run("echo start > /tmp/file");
    ground.engine().snapshots().create(sandbox.id(), "start");
  }

  @BeforeEach
  void putBack() {
    ground.steps().reset();
    ground.engine().sandboxes().rollback(sandbox.id(), "start");
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  /** Such as one whose probe takes too long, on a machine with much to do. */
  @Test
  void aHostThatCannotReachItsMachinesForAWhileFindsThemAgain() throws Exception {
    ground.shell(sandbox.id()).run("echo kept > /tmp/file");
    ground.closeEngine();
    try {
      EngineConfig unfit =
          Ground.config(ground.dataRoot(), POOL_BYTES, ground.steps())
              .withPluginSettings(Map.of("qemu", Map.of("binary", "/nowhere/qemu")));
      try (Engine engine = RametEngine.open(unfit)) {
        Sandbox there = engine.sandboxes().get(sandbox.id());
        assertEquals(Sandbox.State.FAILED, there.state());
        assertTrue(String.valueOf(there.stateDetail()).contains("no hypervisor works"));
        refused(ErrorCode.CONFLICT, () -> engine.snapshots().create(sandbox.id(), "never"));
      }
    } finally {
      ground.openEngine();
    }
    assertEquals(Sandbox.State.RUNNING, ground.engine().sandboxes().get(sandbox.id()).state());
    assertEquals("kept", ground.shell(sandbox.id()).run("cat /tmp/file"));
  }

  @Test
  void aFullDiskIsToldAndLeavesNothingHalfMade() throws Exception {
    GuestShell shell = ground.shell(sandbox.id());
    shell.run("head -c 30000000 /dev/urandom > /tmp/big");
    SortedSet<String> before = ground.files();
    Path filler = ground.root().resolve("filler");
    try {
      fill(filler);
      RametException e =
          refused(
              ErrorCode.NO_SPACE,
              () -> ground.engine().snapshots().create(sandbox.id(), "too-much"));
      assertEquals(507, e.code().httpStatus());
      refused(
          ErrorCode.NO_SPACE,
          () -> ground.engine().sandboxes().clone(sandbox.id(), new CloneRequest(2, 2, null)));
    } finally {
      Files.deleteIfExists(filler);
    }
    assertEquals(before, ground.files());
    assertEquals("start", shell.run("cat /tmp/file"));
    ground.engine().snapshots().create(sandbox.id(), "enough");
    ground.engine().snapshots().delete("enough", false);
    shell.run("rm /tmp/big");
  }

  /** Full only once pages are to be written: while the machine runs, or after it stood still. */
  @ParameterizedTest
  @ValueSource(strings = {"snapshot.precopy", "snapshot.write"})
  void aDiskThatIsFullWhenPagesAreWrittenIsTold(String step) throws Exception {
    if (step.equals("snapshot.precopy")) {
      ground.requireTracking();
    }
    GuestShell shell = ground.shell(sandbox.id());
    String inBase = shell.run("head -c 8000000 /dev/urandom > /tmp/big; sha256sum < /tmp/big");
    Snapshot base = ground.engine().snapshots().create(sandbox.id(), "base");
    String baseImage = digest(memory(base.id()));
    shell.run("head -c 30000000 /dev/urandom > /tmp/big");
    SortedSet<String> before = ground.files();
    Path filler = ground.root().resolve("filler");
    try {
      // Not written before the pause, wherever that is done.
      ground
          .steps()
          .doAt("snapshot.pause", () -> run(shell, "head -c 20000000 /dev/urandom > /tmp/late"));
      ground.steps().doAt(step, () -> fillBut(filler, FEW_BYTES));
      RametException e =
          refused(
              ErrorCode.NO_SPACE,
              () -> ground.engine().snapshots().create(sandbox.id(), "too-much"));
      List<String> steps = ground.steps().seen();
      assertEquals(step, steps.get(steps.size() - 1), "the step that failed: " + e);
      assertEquals(507, e.code().httpStatus());
      assertTrue(String.valueOf(e.getMessage()).contains(ground.root().toString()), e.toString());
      assertTrue(String.valueOf(e.remedy()).contains("delete snapshots"), e.toString());
    } finally {
      ground.steps().reset();
      Files.deleteIfExists(filler);
    }
    assertEquals(before, ground.files());
    ground.assertWell();
    assertEquals(
        Sandbox.State.RUNNING, ground.engine().sandboxes().get(sandbox.id()).state(), step);
    String now = shell.run("sha256sum < /tmp/big");
    assertEquals(baseImage, digest(memory(base.id())), "nothing was written to the base");
    assertEquals(inBase, restored("base", "sha256sum < /tmp/big"));
    // Compared with all of the machine's memory, as every capture here is.
    ground.engine().snapshots().create(sandbox.id(), "enough");
    assertEquals(now, restored("enough", "sha256sum < /tmp/big"));
    ground.engine().snapshots().delete("enough", false);
    ground.engine().snapshots().delete("base", false);
  }

  private String restored(String snapshot, String command) throws Exception {
    Sandbox back = ground.create(snapshot);
    try {
      return ground.shell(back.id()).run(command);
    } finally {
      ground.engine().sandboxes().kill(back.id());
    }
  }

  private static void run(GuestShell shell, String command) {
    try {
      shell.run(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String digest(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] buffer = new byte[1 << 20];
    try (InputStream in = Files.newInputStream(file)) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Writes until hardly anything more fits; does nothing when that was done. */
  private static void fillBut(Path file, long bytesLeft) {
    if (Files.exists(file)) {
      return;
    }
    try {
      fill(file);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.force(true);
        channel.truncate(channel.size() - bytesLeft);
        channel.force(true);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes until nothing more fits, in smaller and smaller pieces. */
  private static void fill(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int piece = 4 << 20; piece >= 4096; piece /= 4) {
        byte[] bytes = new byte[piece];
        try {
          while (true) {
            out.write(bytes);
          }
        } catch (IOException full) {
          // On to the next smaller piece.
        }
      }
    }
  }

  @Test
  void aMachineThatDiesInAnyStepOfASnapshotIsToldAndLeavesNothing() throws Exception {
    ground.steps().reset();
    ground.engine().snapshots().create(sandbox.id(), "probe");
    List<String> steps = ground.steps().seen();
    ground.engine().snapshots().delete("probe", false);
    assertTrue(steps.containsAll(AFTER_THE_PAUSE), steps.toString());
    for (String step : steps.subList(0, steps.indexOf(LAST_STEP) + 1)) {
      SortedSet<String> before = withoutTheMachine(ground.files());
      dieAt(step);
      RametException e =
          assertThrows(
              RametException.class,
              () -> ground.engine().snapshots().create(sandbox.id(), "dying"),
              step);
      ground.steps().resetWhenDone();
      assertTrue(
          e.code() == ErrorCode.HYPERVISOR_FAILED || e.code() == ErrorCode.CONFLICT,
          step + ": " + e);
      assertNothingLeft(before, step);
    }
  }

  /** Whoever does not wait has his answer by then, and finds the failure where he looks for it. */
  @Test
  void aMachineThatDiesWhileItsSnapshotIsWrittenIsToldOfThatSnapshot() throws Exception {
    for (String step : AFTER_THE_PAUSE) {
      SortedSet<String> before = withoutTheMachine(ground.files());
      dieAt(step);
      Snapshot writing =
          ground
              .engine()
              .snapshots()
              .create(new NewSnapshot(sandbox.id(), "dying", null, null, false));
      ground.engine().snapshots().await(writing.id(), Duration.ofMinutes(1));
      ground.steps().resetWhenDone();
      Snapshot failed = ground.engine().snapshots().get(writing.id());
      assertEquals(Snapshot.Status.FAILED, failed.status(), step);
      assertTrue(
          String.valueOf(failed.statusDetail()).contains("ended"),
          step + ": " + failed.statusDetail());
      ground.engine().snapshots().delete(failed.id(), false);
      refused(ErrorCode.NOT_FOUND, () -> ground.engine().snapshots().get("dying"));
      assertNothingLeft(before, step);
    }
  }

  private void dieAt(String step) {
    long pid =
        Objects.requireNonNull(ground.engine().sandboxes().get(sandbox.id()).hypervisorPid());
    boolean written = AFTER_THE_PAUSE.contains(step);
    ground
        .steps()
        .doAt(
            step,
            () -> {
              kill(pid);
              if (written) {
                awaitNotice();
              }
            });
  }

  /** A snapshot whose machine ends right after it was last looked for is whole, and stays. */
  private void awaitNotice() {
    long start = System.nanoTime();
    while (ground.engine().sandboxes().get(sandbox.id()).state() == Sandbox.State.RUNNING) {
      assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "the end is noticed");
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** And the sandbox goes on from an older snapshot. */
  private void assertNothingLeft(SortedSet<String> before, String step) throws Exception {
    assertEquals(before, withoutTheMachine(ground.files()), step);
    ground.engine().sandboxes().rollback(sandbox.id(), "start");
    assertEquals("start", ground.shell(sandbox.id()).run("cat /tmp/file"), step);
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid)
        .ifPresent(
            process -> {
              process.destroyForcibly();
              process.onExit().join();
            });
  }

  /** A dead machine leaves no sockets, and a rollback moves the sandbox to its next machine. */
  private static SortedSet<String> withoutTheMachine(SortedSet<String> files) {
    SortedSet<String> rest = new java.util.TreeSet<>();
    for (String file : files) {
      if (!file.startsWith("sandboxes/")) {
        rest.add(file.replaceAll("disk-[0-9]+", "disk"));
      }
    }
    return rest;
  }

  @Test
  void aBusySandboxRefusesTheSecondOperation() throws Exception {
    CountDownLatch inPause = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    ground
        .steps()
        .doAt(
            "snapshot.flush",
            () -> {
              inPause.countDown();
              awaitQuietly(goOn);
            });
    CompletableFuture<Void> first =
        CompletableFuture.runAsync(() -> ground.engine().snapshots().create(sandbox.id(), "first"));
    inPause.await();
    try {
      RametException e =
          refused(
              ErrorCode.CONFLICT, () -> ground.engine().snapshots().create(sandbox.id(), "second"));
      assertEquals(409, e.code().httpStatus());
      refused(
          ErrorCode.CONFLICT, () -> ground.engine().sandboxes().rollback(sandbox.id(), "start"));
    } finally {
      goOn.countDown();
      ground.steps().reset();
    }
    first.join();
    ground.engine().snapshots().delete("first", false);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void badRequestsChangeNothing() throws Exception {
    SortedSet<String> before = ground.files();
    refused(ErrorCode.NOT_FOUND, () -> ground.create("there-is-none"));
    refused(ErrorCode.NOT_FOUND, () -> ground.engine().sandboxes().get("none"));
    refused(ErrorCode.NOT_FOUND, () -> ground.engine().sandboxes().kill("none"));
    refused(ErrorCode.NOT_FOUND, () -> ground.engine().sandboxes().rollback(sandbox.id(), "none"));
    refused(ErrorCode.NOT_FOUND, () -> ground.engine().snapshots().create("none", null));
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () -> ground.engine().snapshots().create(sandbox.id(), "no/slash"));
    refused(
        ErrorCode.ALREADY_EXISTS,
        () -> ground.engine().snapshots().create(sandbox.id(), Ground.TEMPLATE));
    for (int count : new int[] {0, -1, 101}) {
      refused(
          ErrorCode.INVALID_ARGUMENT,
          () -> ground.engine().sandboxes().clone(sandbox.id(), new CloneRequest(count, 1, null)));
    }
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () -> ground.engine().sandboxes().endpoint(sandbox.id(), 70_000));
    assertEquals(before, ground.files());
  }

  @Test
  void anOperatorsOwnImagesBecomeATemplate() throws Exception {
    Path images = Files.createTempDirectory("ramet-images-");
    try {
      Path kernel = images.resolve("kernel");
      Path initrd = images.resolve("initrd");
      Path rootfs = images.resolve("rootfs.raw");
      // The images of the template at hand are as good as any operator's.
      Template micro = ground.engine().templates().get(Ground.TEMPLATE);
      Path from = ground.root().resolve("snapshots").resolve(micro.id());
      Files.copy(from.resolve("kernel"), kernel);
      Files.copy(from.resolve("initrd"), initrd);
      copySparse(disk(micro.id()), rootfs);
      ImportTemplate request =
          new ImportTemplate(
              "own",
              kernel,
              rootfs,
              initrd,
              "console=ttyS0 root=/dev/vda rw",
              1,
              128L << 20,
              false);
      Template own = ground.engine().templates().importImages(request, Progress.NONE);
      assertTrue(own.warm());
      Sandbox made = ground.create("own");
      assertEquals("own", made.templateName());
      assertTrue(
          Integer.parseInt(ground.shell(made.id()).run("awk '/MemTotal/{print $2}' /proc/meminfo"))
              < 128 << 10);
      refused(
          ErrorCode.ALREADY_EXISTS,
          () -> ground.engine().templates().importImages(request, Progress.NONE));
      ground.engine().sandboxes().kill(made.id());
      ground.engine().templates().delete("own");
      refused(ErrorCode.NOT_FOUND, () -> ground.create("own"));
    } finally {
      for (String name : List.of("kernel", "initrd", "rootfs.raw", "")) {
        Files.deleteIfExists(images.resolve(name));
      }
    }
  }

  private Path disk(String id) throws Exception {
    return volume(id + ".disk");
  }

  private Path memory(String id) throws Exception {
    return volume(id + ".memory");
  }

  private Path volume(String name) throws Exception {
    return Trees.below(ground.root().resolve("volumes")).stream()
        .filter(path -> path.endsWith(name) && Files.isRegularFile(path))
        .findFirst()
        .orElseThrow();
  }

  private static void copySparse(Path from, Path to) throws Exception {
    Process copy =
        new ProcessBuilder("cp", "--sparse=always", from.toString(), to.toString())
            .inheritIO()
            .start();
    assertEquals(0, copy.waitFor());
  }
}
