// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A machine of {@link FaultedHypervisor}: memory of this process that the test reads and writes in
 * the guest's place.
 */
final class FaultedVm implements RunningVm {
  private final VmSpec spec;
  private final NativeBuffer memory;
  private final MemoryRegion.Kind kind;
  private final CompletableFuture<VmExit> exit = new CompletableFuture<>();

  private volatile boolean deaf;

  FaultedVm(VmSpec spec, NativeBuffer memory, MemoryRegion.Kind kind) {
    this.spec = spec;
    this.memory = memory;
    this.kind = kind;
  }

  /** Makes it refuse every pause, as a machine that does not follow in time. */
  void fallDeaf() {
    deaf = true;
  }

  static VmIdentity identityOf(VmSpec spec) {
    return new VmIdentity(
        FaultedHypervisor.ID, "1", Map.of("memoryBytes", Long.toString(spec.memoryBytes())));
  }

  /** Writes a number into the guest's memory. */
  void poke(long offset, long value) {
    memory.view(offset, Long.BYTES).putLong(0, value);
  }

  /** Reads a number of the guest's memory. */
  long peek(long offset) {
    return memory.view(offset, Long.BYTES).getLong(0);
  }

  MemoryRegion.Kind kind() {
    return kind;
  }

  @Override
  public VmSpec spec() {
    return spec;
  }

  @Override
  public VmIdentity identity() {
    return identityOf(spec);
  }

  @Override
  public long pid() {
    return ProcessHandle.current().pid();
  }

  @Override
  public Paused pause() {
    if (deaf) {
      throw new RametException(ErrorCode.DEADLINE_EXCEEDED, "the machine does not pause");
    }
    return new Paused(null);
  }

  @Override
  public SavingVm pauseAndSave(Path directory) {
    return new Paused(directory);
  }

  @Override
  public GuestMemory memory() {
    if (exit.isDone()) {
      throw new RametException(ErrorCode.HYPERVISOR_FAILED, "the machine has ended");
    }
    return new GuestMemory(
        pid(),
        spec.memoryBytes(),
        List.of(new MemoryRegion(0, memory.address(), spec.memoryBytes(), kind)),
        false);
  }

  @Override
  public InetSocketAddress endpoint(int guestPort) {
    NetworkPlan.User network = (NetworkPlan.User) spec.network();
    return new InetSocketAddress(network.address(), guestPort);
  }

  @Override
  public EgressPoint egress() {
    return new EgressPoint.Process(pid());
  }

  @Override
  public CompletionStage<VmExit> exit() {
    return exit;
  }

  @Override
  public void kill(Duration timeout) {
    if (exit.complete(new VmExit(true, "killed"))) {
      memory.close();
    }
  }

  boolean alive() {
    return !exit.isDone();
  }

  /** A pause; the guest is the test, which stands still by itself. */
  final class Paused implements SavingVm {
    private final @Nullable Path save;

    Paused(@Nullable Path save) {
      this.save = save;
    }

    @Override
    public long pid() {
      return FaultedVm.this.pid();
    }

    @Override
    public EgressPoint egress() {
      return FaultedVm.this.egress();
    }

    @Override
    public void saveDevices(Path directory) {
      try {
        Files.writeString(directory.resolve("devices"), "saved");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void awaitDevices() {}

    @Override
    public void finishDevices() {
      if (save != null) {
        saveDevices(save);
      }
    }

    @Override
    public GuestMemory memory() {
      return FaultedVm.this.memory();
    }

    @Override
    public RunningVm resume() {
      return FaultedVm.this;
    }

    @Override
    public void kill() {
      FaultedVm.this.kill(Duration.ZERO);
    }

    @Override
    public void close() {}
  }
}
