// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.Metric;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.spi.storage.StorageFinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A data root with its own copy-on-write pool, an engine on it and the template {@code micro}: the
 * fixture of end-to-end tests. Closing it kills every machine and leaves no mount and no file.
 */
final class Ground implements AutoCloseable {
  static final String TEMPLATE = "micro";
  private static final int AGENT_PORT = 49_983;
  private static final long POOL_BYTES = 3L << 30;

  private final Path dataRoot;
  private final @Nullable Path memoryRoot;
  private final UnaryOperator<EngineConfig> change;
  private final StepRecorder steps = new StepRecorder();
  private @Nullable Engine engine;

  private Ground(Path dataRoot, @Nullable Path memoryRoot, UnaryOperator<EngineConfig> change) {
    this.dataRoot = dataRoot;
    this.memoryRoot = memoryRoot;
    this.change = change;
  }

  /** Makes the ground. */
  static Ground make() throws IOException {
    return make(POOL_BYTES);
  }

  static Ground make(long poolBytes) throws IOException {
    return make(Files.createTempDirectory("ramet-it-"), null, poolBytes);
  }

  /** Makes ground on two existing roots, without a pool. */
  static Ground make(Path dataRoot, Path memoryRoot) throws IOException {
    return make(Files.createDirectories(dataRoot), memoryRoot, 0);
  }

  /** Makes ground on the given backend in the directory for temporary files, without a pool. */
  static Ground makeOn(String storageBackend) throws IOException {
    Path dataRoot = Files.createTempDirectory("ramet-it-");
    return make(dataRoot, 0, config -> config.with("ramet.storage-backend", storageBackend));
  }

  /** Makes ground whose engine has a changed configuration but the usual hypervisor. */
  static Ground make(Path dataRoot, long poolBytes, UnaryOperator<EngineConfig> change)
      throws IOException {
    return make(dataRoot, null, poolBytes, change);
  }

  /**
   * Makes ground whose engine may have any configuration: what it selects also boots its template.
   */
  static Ground boot(Path dataRoot, long poolBytes, UnaryOperator<EngineConfig> change)
      throws IOException {
    return make(dataRoot, null, poolBytes, change, WarmTemplate::build);
  }

  private static Ground make(Path dataRoot, @Nullable Path memoryRoot, long poolBytes)
      throws IOException {
    return make(dataRoot, memoryRoot, poolBytes, UnaryOperator.identity());
  }

  private static Ground make(
      Path dataRoot, @Nullable Path memoryRoot, long poolBytes, UnaryOperator<EngineConfig> change)
      throws IOException {
    return make(dataRoot, memoryRoot, poolBytes, change, WarmTemplate::addTo);
  }

  /** Provides an engine with the template. */
  private interface Supply {
    void to(Engine engine) throws IOException;
  }

  private static Ground make(
      Path dataRoot,
      @Nullable Path memoryRoot,
      long poolBytes,
      UnaryOperator<EngineConfig> change,
      Supply template)
      throws IOException {
    Ground ground = new Ground(dataRoot, memoryRoot, change);
    try {
      ground.engine = EngineFactory.open(ground.config(poolBytes));
      template.to(ground.engine());
      return ground;
    } catch (IOException | RuntimeException | Error e) {
      ground.close();
      throw e;
    }
  }

  /** Makes a fixture on this ground. */
  interface Standing<T> {
    T on(Ground ground) throws IOException;
  }

  /** Makes a fixture on this ground; closes the ground if that fails. */
  <T> T under(Standing<T> standing) throws IOException {
    try {
      return standing.on(this);
    } catch (IOException | RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private EngineConfig config(long poolBytes) {
    EngineConfig base = change.apply(TestConfig.of(dataRoot, poolBytes, steps));
    Path memory = memoryRoot;
    return memory == null ? base : base.with("ramet.storage-memory-root", memory.toString());
  }

  Path dataRoot() {
    return dataRoot;
  }

  /** Returns the root that holds volumes, snapshots and sandboxes. */
  Path root() {
    return Path.of(engine().doctor().report(false).host().get("storage.root"));
  }

  StepRecorder steps() {
    return steps;
  }

  Engine engine() {
    Engine open = engine;
    if (open == null) {
      throw new IllegalStateException("the engine is not open");
    }
    return open;
  }

  boolean isOpen() {
    return engine != null;
  }

  /** Closes the engine; machines keep running. */
  void closeEngine() {
    engine().close();
    engine = null;
    Pools.mount(dataRoot);
  }

  /** Reopens the data root. */
  void openEngine() {
    engine = EngineFactory.open(config(POOL_BYTES));
  }

  Sandbox create() {
    return create(TEMPLATE);
  }

  Sandbox create(String source) {
    return engine().sandboxes().create(NewSandbox.of(source).build());
  }

  GuestShell shell(String sandboxId) {
    return new GuestShell(engine().sandboxes().endpoint(sandboxId, AGENT_PORT));
  }

  /**
   * Returns the output of a command in a machine restored from a snapshot, and then kills the
   * machine.
   */
  String restored(String snapshot, String command) throws IOException {
    Sandbox back = create(snapshot);
    try {
      return shell(back.id()).run(command);
    } finally {
      engine().sandboxes().kill(back.id());
    }
  }

  /** Returns the files of all its roots, once pending deletions are done. */
  SortedSet<String> files() throws IOException {
    RootFiles.awaitDeletions(root());
    TreeSet<String> names = new TreeSet<>(RootFiles.of(root()));
    Path memory = memoryRoot;
    if (memory != null) {
      RootFiles.of(memory).forEach(name -> names.add("memory/" + name));
    }
    return names;
  }

  /** Checks that a storage check finds nothing, once pending deletions are done. */
  void assertWell() {
    try {
      RootFiles.awaitDeletions(root());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertWell(engine());
  }

  static void assertWell(Engine engine) {
    assertEquals(
        List.of(),
        engine.storage().check(false).findings().stream().map(StorageFinding::toString).toList());
  }

  /** Returns the sum of a metric's samples with exactly these labels. */
  double metric(String name, Map<String, String> labels) {
    return engine().metrics().stream()
        .filter(metric -> metric.name().equals(name))
        .flatMap(metric -> metric.samples().stream())
        .filter(sample -> sample.labels().equals(labels))
        .mapToDouble(Metric.Sample::value)
        .sum();
  }

  /** Returns the process ids of this ground's machines. */
  List<Long> machines() {
    String mark = dataRoot.toString();
    List<Long> pids = new ArrayList<>();
    ProcessHandle.allProcesses()
        .filter(process -> Hosts.commandLine(process.pid()).contains(mark))
        .filter(process -> Hosts.commandLine(process.pid()).contains("qemu-system"))
        .forEach(process -> pids.add(process.pid()));
    return pids;
  }

  /** Kills every sandbox and deletes every snapshot; the template stays. */
  void clear() {
    steps.reset();
    engine().sandboxes().list().forEach(sandbox -> engine().sandboxes().kill(sandbox.id()));
    engine().snapshots().list(null).forEach(made -> engine().snapshots().delete(made.id(), false));
  }

  /**
   * Skips the test where the kernel cannot track writes; fails it where {@code RAMET_REQUIRE} names
   * {@code userfaultfd}.
   */
  void requireTracking() {
    if (!"write-tracking".equals(MainJobTest.memoryChoice(this))) {
      String required = Objects.requireNonNullElse(System.getenv("RAMET_REQUIRE"), "");
      assertFalse(Arrays.asList(required.split(",")).contains("userfaultfd"), "writes are tracked");
      assumeTrue(false, "writes cannot be tracked here");
    }
  }

  @Override
  public void close() throws IOException {
    steps.reset();
    if (engine != null) {
      for (Sandbox sandbox : engine().sandboxes().list()) {
        engine().sandboxes().kill(sandbox.id());
      }
      closeEngine();
    }
    for (long pid : machines()) {
      ProcessHandle.of(pid).ifPresent(Ground::end);
    }
    Pools.remove(dataRoot);
    Trees.delete(dataRoot);
    Path memory = memoryRoot;
    if (memory != null && Files.exists(memory)) {
      Trees.delete(memory);
    }
  }

  /** Ends a process, and waits until it holds no file any more. */
  private static void end(ProcessHandle process) {
    process.destroyForcibly();
    process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
