// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The harness of the reference hypervisor, whose processes need neither a real process nor
 * privileges.
 */
class ReferenceHypervisorHarness implements HypervisorHarness {
  private static final long MEMORY_BYTES = 1 << 20;

  final ReferenceMachines machines;
  private final Path scratch;

  ReferenceHypervisorHarness(Path scratch, ReferenceMachines machines) {
    this.scratch = scratch;
    this.machines = machines;
  }

  /** Opens the driver. */
  Hypervisor open() {
    return new ReferenceHypervisor(machines);
  }

  /** Returns the features that its probe states. */
  Set<HypervisorFeature> stated() {
    return Set.of(HypervisorFeature.GUEST_SECRET, HypervisorFeature.FAULT_HANDLER);
  }

  @Override
  public @Nullable String secret(RunningVm vm) {
    return machines.guest(vm.pid()).secret;
  }

  /** Each process of the reference hypervisor has a generation id of its own. */
  @Override
  public @Nullable String generationId(RunningVm vm) {
    return Long.toString(vm.pid());
  }

  @Override
  public HypervisorProvider provider() {
    return new HypervisorProvider() {
      @Override
      public String id() {
        return ReferenceHypervisor.ID;
      }

      @Override
      public HypervisorFacts atBest() {
        return new HypervisorFacts(
            false,
            stated(),
            new HypervisorFacts.Accepts(
                Set.of(NetworkPlan.Kind.USER),
                Set.of(KernelFormat.BZIMAGE),
                Set.of(Attachment.Kind.FILE, Attachment.Kind.BLOCK_DEVICE, Attachment.Kind.NBD)),
            new HypervisorFacts.Saves(true, Set.of(Access.READ)),
            new HypervisorFacts.Restores(Map.of(), false, true, HypervisorFacts.Clock.SAVED),
            Set.of());
      }

      @Override
      public ProbeResult probe(ProbeContext where) {
        return new ProbeResult.Usable(atBest(), Map.of());
      }

      @Override
      public Hypervisor open(ProbeContext where) {
        return ReferenceHypervisorHarness.this.open();
      }
    };
  }

  @Override
  public VmSpec spec(String name, Path directory) throws IOException {
    Path kernel = scratch.resolve("kernel");
    if (!Files.exists(kernel)) {
      Files.writeString(kernel, "counts");
    }
    return new VmSpec(
        name,
        directory,
        1,
        MEMORY_BYTES,
        new Boot(Map.of(KernelFormat.BZIMAGE, kernel), null, ""),
        List.of(),
        new NetworkPlan.User("127.0.0.2", List.of(), false),
        null);
  }

  @Override
  public long count(RunningVm vm) {
    ReferenceMachines.Guest process = machines.find(vm.pid());
    return process == null ? -1 : process.count();
  }

  @Override
  public void copyMemory(GuestMemory memory, Path image) throws IOException {
    ReferenceMachines.Guest process = machines.find(memory.pid());
    if (process == null) {
      throw new IOException("the machine has ended");
    }
    FaultedMemory faulted = process.faulted;
    if (faulted == null) {
      ReferenceState.writeMemory(process.count(), process.memoryBytes, image);
    } else {
      ReferenceState.writeMemory(process.count(), faulted, image);
    }
  }

  @Override
  public MemorySource.FaultHandler serve(Path image, List<Long> touched) {
    return FaultHandlers.serve(
        image.resolveSibling(image.getFileName() + ".faults"),
        new FaultHandlers.Pages() {
          @Override
          public long sizeBytes() {
            return MEMORY_BYTES;
          }

          @Override
          public byte[] page(long imageOffset) {
            touched.add(imageOffset);
            try (RandomAccessFile in = new RandomAccessFile(image.toFile(), "r")) {
              byte[] page = new byte[FaultedMemory.pageBytes()];
              in.seek(imageOffset);
              in.readFully(page);
              return page;
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        });
  }

  @Override
  public Set<Long> processes(Path directory) {
    return machines.below(directory);
  }

  @Override
  public void kill(long pid) {
    machines.end(pid, false);
  }

  /** Everything happens at once here. */
  @Override
  public Duration patience() {
    return Duration.ofSeconds(1);
  }

  @Override
  public Set<String> logs() {
    return Set.of(ReferenceHypervisor.PID);
  }
}
