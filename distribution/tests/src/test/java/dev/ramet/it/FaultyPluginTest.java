// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.RametException;
import dev.ramet.engine.Sandbox;
import dev.ramet.spi.storage.StorageProvisioner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Breaks every call that an operation makes into its plugins once, in each way a plugin can break
 * it. The calls are those a successful run makes, so that a new one is covered by itself. Whatever
 * is broken: the error names the plugin, the machine runs on, and nothing half-made is left.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FaultyPluginTest {
  private static final long POOL_BYTES = 3L << 30;

  private Ground ground;
  private Sandbox sandbox;

  @BeforeAll
  void makeGround(@TempDir Path work) throws Exception {
    Path plugins = Files.createDirectory(work.resolve("plugins"));
    FaultyPlugin.installIn(plugins, work);
    Path dataRoot = Files.createTempDirectory("ramet-it-");
    // What is asked for by name gets no pool by itself.
    for (StorageProvisioner one :
        ServiceLoader.load(ModuleLayer.boot(), StorageProvisioner.class)) {
      one.provision(dataRoot, POOL_BYTES);
    }
    ground = Ground.make(dataRoot, POOL_BYTES, config -> FaultyPlugin.chosen(config, plugins));
    sandbox = ground.create();
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
    return eachFault(
        () -> ground.engine().snapshots().create(sandbox.id(), "probe"),
        () -> ground.engine().snapshots().delete("probe", false),
        Tidy.AT_ONCE,
        List.of("throw", "error", "after", "null"));
  }

  @TestFactory
  Stream<DynamicTest> aNewSandbox() {
    List<String> made = new ArrayList<>();
    return eachFault(
        () -> made.add(ground.create().id()),
        () -> {
          made.forEach(id -> ground.engine().sandboxes().kill(id));
          made.clear();
        },
        Tidy.AT_ONCE,
        List.of("after", "null"));
  }

  @TestFactory
  Stream<DynamicTest> aRollback() {
    // What it clears up once it has happened is cleared up at the next start if that fails.
    return eachFault(
        () -> ground.engine().sandboxes().rollback(sandbox.id(), "start"),
        () -> {},
        Tidy.LATER,
        List.of("after", "null"));
  }

  /** When nothing half-made is left. */
  private enum Tidy {
    AT_ONCE,
    LATER
  }

  private Stream<DynamicTest> eachFault(
      Runnable operation, Runnable takeBack, Tidy tidy, List<String> ways) {
    var calls = FaultyPlugin.callsOf(operation);
    takeBack.run();
    assertTrue(calls.size() > 5, calls::toString);
    List<DynamicTest> tests = new ArrayList<>();
    calls.forEach(
        (call, object) -> {
          for (String how : ways) {
            if (how.equals("null") && !object) {
              continue;
            }
            tests.add(
                DynamicTest.dynamicTest(
                    call + ", " + how, () -> breakCall(operation, takeBack, call, how, tidy)));
          }
        });
    return tests.stream();
  }

  private void breakCall(Runnable operation, Runnable takeBack, String call, String how, Tidy tidy)
      throws Exception {
    SortedSet<String> before = ground.files();
    int machines = ground.machines().size();
    FaultyPlugin.breakNext(call, how);
    try {
      operation.run();
      // Some failures are nobody's business: what could not be tidied up is, at the next start.
      FaultyPlugin.mend();
      takeBack.run();
    } catch (RametException e) {
      assertTrue(
          String.valueOf(e.getMessage()).contains("faulty-"),
          () -> call + ", " + how + ": an error must name the plugin: " + e);
    } finally {
      FaultyPlugin.mend();
    }
    String what = call + ", " + how + ": ";
    assertEquals(machines, ground.machines().size(), what + "machines");
    assertEquals(Sandbox.State.RUNNING, ground.engine().sandboxes().get(sandbox.id()).state());
    assertEquals("alive", ground.shell(sandbox.id()).run("echo alive"), "the guest runs on");
    if (tidy == Tidy.AT_ONCE) {
      SortedSet<String> after = ground.files();
      assertEquals(
          less(before, after), less(after, before), what + "what was there, what is there");
    }
  }

  private static SortedSet<String> less(SortedSet<String> some, SortedSet<String> others) {
    SortedSet<String> rest = new TreeSet<>(some);
    rest.removeAll(others);
    // QEMU's own, in its machine's directory: a save that nobody finished, replaced by the next.
    rest.removeIf(file -> file.endsWith("/state"));
    return rest;
  }
}
