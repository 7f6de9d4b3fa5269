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
import dev.ramet.engine.Progress;
import dev.ramet.engine.RametEngine;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Template;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
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

/**
 * A full disk, a machine that dies at the wrong moment, two who want the same, and bad requests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TroubleTest {
  private static final long POOL_BYTES = 700L << 20;

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

  /** Writes until nothing more fits, in smaller and smaller pieces. */
  private static void fill(Path file) throws Exception {
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int piece = 4 << 20; piece >= 4096; piece /= 4) {
        byte[] bytes = new byte[piece];
        try {
          while (true) {
            out.write(bytes);
          }
        } catch (java.io.IOException full) {
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
    for (String step : steps.subList(0, steps.indexOf("snapshot.resume") + 1)) {
      SortedSet<String> before = withoutTheMachine(ground.files());
      long pid =
          Objects.requireNonNull(ground.engine().sandboxes().get(sandbox.id()).hypervisorPid());
      ground.steps().doAt(step, () -> kill(pid));
      RametException e =
          assertThrows(
              RametException.class,
              () -> ground.engine().snapshots().create(sandbox.id(), "dying"),
              step);
      ground.steps().reset();
      assertTrue(
          e.code() == ErrorCode.HYPERVISOR_FAILED || e.code() == ErrorCode.CONFLICT,
          step + ": " + e);
      assertEquals(before, withoutTheMachine(ground.files()), step);
      ground.engine().sandboxes().rollback(sandbox.id(), "start");
      assertEquals("start", ground.shell(sandbox.id()).run("cat /tmp/file"), step);
    }
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
    return Trees.below(ground.root().resolve("volumes")).stream()
        .filter(path -> path.endsWith(id + ".disk"))
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
