// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.tck.reference.FaultHandlers;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A driver whose machines are memory of this process, for an engine that reads it as any other
 * process's. It restores from the fault handlers of the kit's model. Memory that was restored is a
 * private mapping, so a page that nobody has touched is absent and shows its content when it is
 * read, as a page that a handler has yet to fill.
 */
final class FaultedHypervisor implements Hypervisor {
  static final String ID = "faulted";

  /** It takes NBD disks, and fills memory on fault. */
  static final HypervisorFacts FACTS =
      new HypervisorFacts(
          false,
          Set.of(HypervisorFeature.FAULT_HANDLER),
          new HypervisorFacts.Accepts(
              Set.of(NetworkPlan.Kind.USER),
              Set.of(KernelFormat.BZIMAGE),
              Set.of(Attachment.Kind.FILE, Attachment.Kind.NBD)),
          new HypervisorFacts.Saves(true, Set.of(Access.READ)),
          new HypervisorFacts.Restores(Map.of(), false, true, HypervisorFacts.Clock.SAVED),
          Set.of());

  private static final int PAGE = 4096;

  /** Runs when a machine has begun to boot, before its driver says so. */
  volatile Runnable booting = () -> {};

  private final Path scratch;
  private final Map<Path, FaultedVm> machines = new ConcurrentHashMap<>();
  private int images;

  FaultedHypervisor(Path scratch) {
    this.scratch = scratch;
  }

  /** Returns how many machines run. */
  long running() {
    return machines.values().stream().filter(FaultedVm::alive).count();
  }

  /** Returns the machine that runs for a sandbox. */
  FaultedVm of(String sandboxId) {
    return machines.values().stream()
        .filter(vm -> vm.alive() && vm.spec().name().equals(sandboxId))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public RunningVm boot(VmSpec spec, Duration timeout) {
    FaultedVm vm =
        started(spec, map(image(spec.memoryBytes(), null), spec), MemoryRegion.Kind.ANONYMOUS);
    booting.run();
    return vm;
  }

  @Override
  public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
    if (!(saved.memory() instanceof MemorySource.FaultHandler handler)) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, "not a fault handler: " + saved.memory(), "use one", null);
    }
    FaultHandlers.Pages pages = FaultHandlers.connect(handler);
    NativeBuffer memory = map(image(spec.memoryBytes(), pages), spec);
    return started(spec, memory, MemoryRegion.Kind.FAULTED).pause();
  }

  private FaultedVm started(VmSpec spec, NativeBuffer memory, MemoryRegion.Kind kind) {
    FaultedVm vm = new FaultedVm(spec, memory, kind);
    machines.put(spec.directory(), vm);
    return vm;
  }

  private synchronized Path image(long bytes, FaultHandlers.@Nullable Pages pages) {
    Path image = scratch.resolve("memory" + images++);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
      byte[] zeros = new byte[PAGE];
      for (long at = 0; pages != null && at < bytes; at += PAGE) {
        byte[] page = pages.page(at);
        if (!Arrays.equals(page, zeros)) {
          file.seek(at);
          file.write(page);
        }
      }
      return image;
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot write " + image, e);
    }
  }

  private static NativeBuffer map(Path image, VmSpec spec) {
    try {
      return NativeBuffer.mapPrivate(image, 0, spec.memoryBytes());
    } catch (LinuxException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot map " + image, e);
    }
  }

  @Override
  public Optional<RunningVm> reattach(VmSpec spec, Duration timeout) {
    return Optional.ofNullable(machines.get(spec.directory()))
        .filter(FaultedVm::alive)
        .map(vm -> vm);
  }

  @Override
  public void reap(Path directory) {
    machines.forEach(
        (where, vm) -> {
          if (where.startsWith(directory)) {
            vm.kill(Duration.ZERO);
          }
        });
  }

  @Override
  public void close() {}
}
