// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemorySource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A driver and its machines, with helpers to observe them. Closing it ends all machines. */
public final class MachineWorld implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final long STILL_MILLIS = 20;

  final HypervisorHarness harness;
  final Path root;
  final Hypervisor driver;
  private final List<Hypervisor> opened = new ArrayList<>();
  private final Path scratch;
  private int number;
  private @Nullable HypervisorFacts facts;

  public MachineWorld(HypervisorHarness harness, Path root) throws IOException {
    this.harness = harness;
    this.root = root;
    this.scratch = Files.createDirectories(root.resolve("driver"));
    this.driver = open();
  }

  /** Opens the driver again, as a restarted host does. */
  Hypervisor open() {
    Hypervisor one = harness.provider().open(new ProbeContext(scratch));
    opened.add(one);
    return one;
  }

  ProbeResult probe() {
    return harness.provider().probe(new ProbeContext(scratch));
  }

  Path directory(String name) throws IOException {
    return Files.createDirectories(root.resolve(name));
  }

  /** Returns the specification of a new machine in a new directory. */
  VmSpec spec() throws IOException {
    String name = "vm" + ++number;
    return spec(name, directory(name));
  }

  /** Returns the specification of a machine, with its disks where the driver expects them. */
  VmSpec spec(String name, Path directory) throws IOException {
    VmSpec spec = harness.spec(name, directory);
    if (harness.provider().atBest().restores().samePaths()) {
      for (Disk disk : spec.disks()) {
        Files.createSymbolicLink(directory.resolve(disk.name()), disk.image().path());
      }
    }
    return spec;
  }

  /** Returns the facts that the probe states. */
  HypervisorFacts facts() {
    HypervisorFacts known = facts;
    if (known == null) {
      ProbeResult result = probe();
      if (!(result instanceof ProbeResult.Usable usable)
          || !(usable.facts() instanceof HypervisorFacts stated)) {
        throw new AssertionError("the hypervisor must be usable where it is tested: " + result);
      }
      known = stated;
      facts = known;
    }
    return known;
  }

  /** Boots a machine and waits until its guest counts. */
  RunningVm boot() throws IOException {
    RunningVm vm = driver.boot(spec(), TIMEOUT);
    awaitRunning(vm);
    return vm;
  }

  /** Waits until the guest has counted further. */
  void awaitRunning(RunningVm vm) throws IOException {
    long before = harness.count(vm);
    await(
        "the guest must go on counting: the machine does not run",
        () -> harness.count(vm) != before);
  }

  /** Requires that the guest does not count. */
  long standsStill(RunningVm vm, String why) throws IOException {
    long before = harness.count(vm);
    sleep();
    assertEquals(before, harness.count(vm), why);
    return before;
  }

  /** Saves a machine as the engine does: devices, then memory, in one pause. */
  SavedVm save(RunningVm vm) throws IOException {
    try (PausedVm paused = vm.pause()) {
      return save(vm, paused);
    }
  }

  SavedVm save(RunningVm vm, PausedVm paused) throws IOException {
    String name = "saved" + ++number;
    Path devices = directory(name);
    Path image = root.resolve(name + ".memory");
    paused.saveDevices(devices);
    harness.copyMemory(paused.memory(), image);
    return new SavedVm(devices, new MemorySource.MappedImage(image), vm.identity());
  }

  /** Returns how the machine ended; fails if it still runs. */
  VmExit ended(RunningVm vm) throws IOException {
    CompletableFuture<VmExit> exit = vm.exit().toCompletableFuture();
    await("the machine has ended: exit() must be complete", exit::isDone);
    return exit.join();
  }

  /** Requires that only the files people read are left of a machine. */
  void nothingLeft(VmSpec spec, String after) throws IOException {
    assertEquals(
        Set.of(),
        harness.processes(spec.directory()),
        after + " must end every process that it started");
    Set<String> files = names(spec.directory());
    files.removeAll(harness.logs());
    spec.disks().forEach(disk -> files.remove(disk.name()));
    assertEquals(Set.of(), files, after + " must remove the files that it made");
  }

  static Set<String> names(Path directory) throws IOException {
    try (Stream<Path> list = Files.list(directory)) {
      return list.map(path -> String.valueOf(path.getFileName()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** A condition that is to become true. */
  interface Condition {
    boolean holds() throws IOException;
  }

  void await(String what, Condition condition) throws IOException {
    long end = System.nanoTime() + harness.patience().toNanos();
    while (!condition.holds()) {
      assertTrue(System.nanoTime() < end, what);
      sleep(1);
    }
  }

  static void sleep() {
    sleep(STILL_MILLIS);
  }

  static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    // Ends what a check left running from outside, because the driver itself may be at fault.
    try {
      for (long pid : harness.processes(root)) {
        harness.kill(pid);
      }
      await("the machines' processes do not end", () -> harness.processes(root).isEmpty());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      opened.forEach(Hypervisor::close);
    }
  }
}
