// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.Progress;
import dev.ramet.engine.WantedShape;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.engine.templates.ImportTemplate;
import dev.ramet.engine.templates.Template;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests a host that cannot reach its machines, concurrent operations on one sandbox, and invalid
 * requests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TroubleTest {
  @AutoClose @RegisterExtension private final StartedSandbox started = StartedSandbox.make();

  private final Ground ground = started.ground();

  /** For example because its probe takes too long on a busy machine. */
  @Test
  void aHostThatCannotReachItsMachinesForAWhileFindsThemAgain() throws Exception {
    ground.shell(started.id()).run("echo kept > /tmp/file");
    ground.closeEngine();
    try {
      EngineConfig unfit =
          TestConfig.of(ground.dataRoot(), StartedSandbox.POOL_BYTES, ground.steps())
              .with("ramet.plugin.qemu.binary", "/nowhere/qemu");
      try (Engine engine = EngineFactory.open(unfit)) {
        Sandbox there = engine.sandboxes().get(started.id());
        assertEquals(Sandbox.State.FAILED, there.state());
        assertTrue(String.valueOf(there.stateDetail()).contains("no hypervisor works"));
        refused(ErrorCode.CONFLICT, () -> engine.snapshots().create(started.id(), "never"));
      }
    } finally {
      ground.openEngine();
    }
    assertEquals(Sandbox.State.RUNNING, ground.engine().sandboxes().get(started.id()).state());
    assertEquals("kept", ground.shell(started.id()).run("cat /tmp/file"));
  }

  @Test
  void aGuestCannotHaveMoreMemoryThanTheMachine() throws Exception {
    SortedSet<String> before = ground.files();
    NewSandbox huge =
        NewSandbox.of(Ground.TEMPLATE).shape(new WantedShape(null, 1L << 39, null)).build();
    RametException e =
        refused(ErrorCode.INVALID_ARGUMENT, () -> ground.engine().sandboxes().create(huge));
    assertTrue(String.valueOf(e.getMessage()).contains("this machine has"), e::toString);
    assertEquals(before, ground.files());
    assertTrue(
        String.valueOf(ground.engine().sandboxes().memoryWarning(1L << 39)).contains("free"));
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
        CompletableFuture.runAsync(() -> ground.engine().snapshots().create(started.id(), "first"));
    inPause.await();
    try {
      RametException e =
          refused(
              ErrorCode.CONFLICT, () -> ground.engine().snapshots().create(started.id(), "second"));
      assertEquals(409, e.code().httpStatus());
      refused(
          ErrorCode.CONFLICT, () -> ground.engine().sandboxes().rollback(started.id(), "start"));
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
    refused(ErrorCode.NOT_FOUND, () -> ground.engine().sandboxes().rollback(started.id(), "none"));
    refused(ErrorCode.NOT_FOUND, () -> ground.engine().snapshots().create("none", null));
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () -> ground.engine().snapshots().create(started.id(), "no/slash"));
    refused(
        ErrorCode.ALREADY_EXISTS,
        () -> ground.engine().snapshots().create(started.id(), Ground.TEMPLATE));
    for (int count : new int[] {0, -1, 101}) {
      refused(
          ErrorCode.INVALID_ARGUMENT,
          () -> ground.engine().sandboxes().clone(started.id(), new CloneRequest(count, 1, null)));
    }
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () -> ground.engine().sandboxes().endpoint(started.id(), 70_000));
    assertEquals(before, ground.files());
  }

  @Test
  void anOperatorsOwnImagesBecomeATemplate() throws Exception {
    Path images = Files.createTempDirectory("ramet-images-");
    try {
      Path kernel = images.resolve("kernel");
      Path initrd = images.resolve("initrd");
      Path rootfs = images.resolve("rootfs.raw");
      // The template's own images serve as those of an operator.
      Template micro = ground.engine().templates().get(Ground.TEMPLATE);
      Path from = ground.root().resolve("snapshots").resolve(micro.id());
      Files.copy(from.resolve("kernel"), kernel);
      Files.copy(from.resolve("initrd"), initrd);
      copySparse(started.volume(micro.id() + ".disk"), rootfs);
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

  private static void copySparse(Path from, Path to) throws Exception {
    Process copy =
        new ProcessBuilder("cp", "--sparse=always", from.toString(), to.toString())
            .inheritIO()
            .start();
    assertEquals(0, copy.waitFor());
  }
}
