// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import dev.ramet.hypervisors.qemu.probe.BinaryFacts;
import dev.ramet.hypervisors.qemu.probe.Trial;
import dev.ramet.hypervisors.qemu.program.Accelerator;
import dev.ramet.hypervisors.qemu.program.Installation;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** A driver on real QEMU with the emulator, and machines that run the counting kernel. */
public final class Bench implements AutoCloseable {
  public static final Duration PATIENCE = Duration.ofMinutes(5);
  public static final long MEMORY_BYTES = 32 << 20;
  private static final long COUNT_OFFSET = 0x200000;

  /** Gives each machine in a JVM a different loopback address. */
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  final Path root;
  public QemuHypervisor driver;
  private final Path kernel;
  private final Path disk;

  public Bench(Path root) throws IOException {
    this.root = root;
    kernel = root.resolve("counter.bin");
    try (InputStream in = Objects.requireNonNull(Bench.class.getResourceAsStream("counter.bin"))) {
      Files.copy(in, kernel);
    }
    disk = root.resolve("disk");
    try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
      file.setLength(1 << 20);
    }
    driver = new QemuHypervisor(installation(root));
  }

  public static Installation installation(Path scratch) {
    BinaryFacts inquiry = BinaryFacts.query(Host.qemu(), scratch);
    return new Installation(
        Host.qemu(),
        Path.of("/usr/bin/setsid"),
        inquiry.version(),
        inquiry.pc().orElseThrow(),
        Accelerator.TCG,
        "");
  }

  public static String address() {
    int n = ADDRESSES.incrementAndGet();
    return "127.81." + ProcessHandle.current().pid() % 250 + "." + (n % 250 + 1);
  }

  public VmSpec spec(String name, Integer... ports) throws IOException {
    return sized(name, MEMORY_BYTES, ports);
  }

  public VmSpec sized(String name, long memoryBytes, Integer... ports) throws IOException {
    return in(name, Files.createDirectories(root.resolve(name)), memoryBytes, ports);
  }

  /** Returns the specification of a machine in an existing directory. */
  public VmSpec in(String name, Path directory) {
    return in(name, directory, MEMORY_BYTES);
  }

  private VmSpec in(String name, Path directory, long memoryBytes, Integer... ports) {
    return new VmSpec(
        name,
        directory,
        1,
        memoryBytes,
        new Boot(Map.of(KernelFormat.BZIMAGE, kernel), null, "a=b,c"),
        List.of(new Disk("disk0", new Attachment.LocalFile(disk, false))),
        new NetworkPlan.User(address(), List.of(ports), false),
        null);
  }

  /** Boots a machine and waits until its guest counts. */
  public RunningVm boot(String name, Integer... ports) throws IOException, InterruptedException {
    RunningVm vm = driver.boot(spec(name, ports), PATIENCE);
    awaitBoots(vm, 1);
    return vm;
  }

  /** Saves a machine as the engine would: devices, then memory, in one pause. */
  public SavedVm save(RunningVm vm, String name) throws IOException {
    Path devices = Files.createDirectories(root.resolve(name));
    Path image = root.resolve(name + ".memory");
    try (PausedVm paused = vm.pause()) {
      paused.saveDevices(devices);
      Trial.copy(paused.memory(), image);
    }
    return new SavedVm(devices, new MemorySource.MappedImage(image), vm.identity());
  }

  /** Returns the guest's current count. */
  public static int count(RunningVm vm) throws IOException {
    Path memory = Path.of("/proc", Long.toString(vm.pid()), "mem");
    try (RandomAccessFile in = new RandomAccessFile(memory.toFile(), "r")) {
      in.seek(vm.memory().regions().get(0).address() + COUNT_OFFSET);
      return Integer.reverseBytes(in.readInt());
    }
  }

  /** Waits until the guest counts. */
  public static void awaitCounting(RunningVm vm) throws IOException, InterruptedException {
    int before = count(vm);
    await("the guest to count", () -> count(vm) != before);
  }

  /** Waits until the guest has booted this many times in this process, and counts. */
  public static void awaitBoots(RunningVm vm, long times) throws IOException, InterruptedException {
    Path console = vm.spec().directory().resolve("console.log");
    await(
        "boot " + times,
        () ->
            Files.exists(console)
                && Files.readAllLines(console).stream().filter("boot"::equals).count() >= times);
    awaitCounting(vm);
  }

  public interface Condition {
    boolean holds() throws IOException;
  }

  public static void await(String what, Condition condition)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("waited in vain for " + what);
      }
      Thread.sleep(2);
    }
  }

  @Override
  public void close() {
    driver.reap(root);
    driver.close();
  }
}
