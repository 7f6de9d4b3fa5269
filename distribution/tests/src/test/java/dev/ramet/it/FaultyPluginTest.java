// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.ForkResult;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Breaks every call that an operation makes into its plugins once, in each way a plugin can break
 * it. The calls are those a successful run makes, so a new call is covered automatically. In every
 * case the error names the plugin, the machine keeps running, and nothing half-made is left.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FaultyPluginTest {
  private static final long POOL_BYTES = 3L << 30;

  private final List<String> made = new ArrayList<>();
  private Ground ground;
  private Sandbox sandbox;
  private BrokenCalls calls;

  @BeforeAll
  void makeGround(@TempDir Path work) throws Exception {
    Path plugins = Files.createDirectory(work.resolve("plugins"));
    FaultyPlugin.installIn(plugins, work);
    Path dataRoot = Files.createTempDirectory("ramet-it-");
    // A backend that is configured by name gets no pool automatically.
    for (StorageProvisioner one :
        ServiceLoader.load(ModuleLayer.boot(), StorageProvisioner.class)) {
      one.provision(dataRoot, POOL_BYTES);
    }
    ground = Ground.boot(dataRoot, POOL_BYTES, config -> FaultyPlugin.chosen(config, plugins));
    sandbox = ground.create();
    calls = new BrokenCalls(ground, sandbox.id());
    ground.shell(sandbox.id()).run("echo start > /tmp/file");
    ground.engine().snapshots().create(sandbox.id(), "start");
  }

  @AfterAll
  void clear() throws Exception {
    FaultyPlugin.mend();
    if (ground != null) {
      ground.close();
    }
  }

  @TestFactory
  Stream<DynamicTest> aSnapshot() {
    return calls.eachFault(
        operation(() -> ground.engine().snapshots().create(sandbox.id(), "probe"))
            .takenBackBy(() -> ground.engine().snapshots().delete("probe", false)),
        List.of("throw", "error", "after", "null"));
  }

  @TestFactory
  Stream<DynamicTest> aNewSandbox() {
    return calls.eachFault(
        operation(() -> made.add(ground.create().id())).takenBackBy(this::killMade),
        List.of("after", "null"));
  }

  @TestFactory
  Stream<DynamicTest> aRollback() {
    // If the clean-up after a rollback fails, the next start does it.
    return calls.eachFault(
        operation(() -> ground.engine().sandboxes().rollback(sandbox.id(), "start")).tidyLater(),
        List.of("after", "null"));
  }

  /** All clones are made, or none. */
  @TestFactory
  Stream<DynamicTest> aClone() {
    return calls.eachFault(
        operation(
                () ->
                    ground
                        .engine()
                        .sandboxes()
                        .clone(sandbox.id(), new CloneRequest(1, 1, null))
                        .sandboxes()
                        .forEach(clone -> made.add(clone.id())))
            .takenBackBy(this::killMade),
        List.of("after"));
  }

  /** A child that could not be made has an error, and its sibling runs. */
  @TestFactory
  Stream<DynamicTest> aFork() {
    return calls.eachFault(
        operation(this::fork).takenBackBy(this::killMade).only("Hypervisor.", "RunningVm."),
        List.of("throw"));
  }

  private void fork() {
    List<ForkResult> results =
        ground.engine().sandboxes().fork(sandbox.id(), new CloneRequest(2, 2, null));
    RametException error = null;
    for (ForkResult result : results) {
      if (result instanceof ForkResult.Made child) {
        made.add(child.sandbox().id());
      } else if (result instanceof ForkResult.NotMade failed) {
        error = failed.error();
      }
    }
    assertEquals(2, results.size());
    assertFalse(made.isEmpty(), "one broken call takes one child at most");
    made.forEach(calls::assertAlive);
    if (error != null) {
      killMade();
      throw error;
    }
  }

  /** The mode is forced, so there is no other one: the error's remedy includes the plugin's. */
  @Test
  void aMemoryModeThatFindsTheHostUnfitRefusesTheCapture() throws Exception {
    SortedSet<String> before = ground.files();
    FaultyPlugin.breakNext("MemoryMode.attach", "refuse");
    try {
      RametException refused =
          assertThrows(
              RametException.class, () -> ground.engine().snapshots().create(sandbox.id(), null));
      assertEquals(ErrorCode.UNSUPPORTED, refused.code());
      assertTrue(
          String.valueOf(refused.getMessage()).contains("MemoryMode.attach is refused"),
          refused::toString);
      String remedy = String.valueOf(refused.remedy());
      assertTrue(remedy.startsWith("ask the saboteur; or do not force"), remedy);
    } finally {
      FaultyPlugin.mend();
    }
    assertEquals(before, ground.files());
    calls.assertAlive(sandbox.id());
  }

  @TestFactory
  Stream<DynamicTest> aPause() {
    return calls.eachFault(
        operation(() -> ground.engine().sandboxes().pause(sandbox.id(), true))
            .takenBackBy(this::resume)
            .tidyLater(),
        List.of("after"));
  }

  /** The sandbox stays paused, and the next request resumes it. */
  @TestFactory
  Stream<DynamicTest> aResume() {
    return calls.eachFault(
        operation(this::resume)
            .preparedBy(() -> ground.engine().sandboxes().pause(sandbox.id(), true))
            .repeatedIfItFails()
            .tidyLater(),
        List.of("after"));
  }

  private void resume() {
    ground.engine().sandboxes().resume(sandbox.id(), null, true);
  }

  /** The caller may repeat the request, and then the sandbox is gone. */
  @TestFactory
  Stream<DynamicTest> aKill() {
    return calls.eachFault(
        operation(this::killMade)
            .preparedBy(() -> made.add(ground.create().id()))
            .repeatedIfItFails(),
        List.of("throw", "after"));
  }

  /** The host restarts while the machine runs, and once more after a broken start. */
  @TestFactory
  Stream<DynamicTest> aRestartOfTheHost() {
    return calls.eachFault(
        operation(this::restart)
            .repeatedIfItFails()
            .tidyLater()
            .only(
                "Hypervisor.reattach",
                "RunningVm.",
                "StorageBackend.attach",
                "StorageBackend.list"),
        List.of("after"));
  }

  private void restart() {
    if (ground.isOpen()) {
      ground.closeEngine();
    }
    ground.openEngine();
    Sandbox found = ground.engine().sandboxes().get(sandbox.id());
    if (found.state() == Sandbox.State.FAILED) {
      throw new RametException(ErrorCode.UNAVAILABLE, String.valueOf(found.stateDetail()));
    }
  }

  /** Kills the sandboxes an operation made; those that fail to end stay on the list. */
  private void killMade() {
    while (!made.isEmpty()) {
      try {
        ground.engine().sandboxes().kill(made.get(0));
      } catch (RametException e) {
        if (e.code() != ErrorCode.NOT_FOUND) {
          throw e;
        }
      }
      made.remove(0);
    }
  }

  private static FaultyOperation operation(Runnable run) {
    return FaultyOperation.of(run);
  }
}
