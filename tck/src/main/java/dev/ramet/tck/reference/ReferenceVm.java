// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A machine of the reference hypervisor. Thread-safe. */
class ReferenceVm implements RunningVm {
  private static final long ADDRESS = 1L << 32;

  final ReferenceMachines.Guest process;
  private final ReferenceHypervisor hypervisor;
  private final VmSpec spec;
  private @Nullable Paused pause;

  ReferenceVm(ReferenceHypervisor hypervisor, VmSpec spec, ReferenceMachines.Guest process) {
    this.hypervisor = hypervisor;
    this.spec = spec;
    this.process = process;
  }

  /** Starts to run. */
  RunningVm letRun() {
    process.go();
    return this;
  }

  /** Returns the pause of a machine that has not run yet. */
  synchronized PausedVm standStill() {
    Paused first = new Paused(null);
    pause = first;
    return first;
  }

  /** Ends a pause that has lost its owner. */
  synchronized RunningVm takeBack() {
    pause = null;
    return letRun();
  }

  private void alive() {
    if (process.ended.isDone()) {
      throw new RametException(ErrorCode.HYPERVISOR_FAILED, "the machine has ended");
    }
  }

  private synchronized Paused stop(@Nullable Path save) {
    alive();
    if (pause != null) {
      throw new RametException(ErrorCode.CONFLICT, "the machine is paused: " + spec.name());
    }
    process.stop();
    Paused next = new Paused(save);
    pause = next;
    return next;
  }

  @Override
  public PausedVm pause() {
    return stop(null);
  }

  @Override
  public SavingVm pauseAndSave(Path directory) {
    return stop(directory);
  }

  @Override
  public VmSpec spec() {
    return spec;
  }

  @Override
  public VmIdentity identity() {
    return hypervisor.identity(spec);
  }

  @Override
  public long pid() {
    return process.pid;
  }

  @Override
  public GuestMemory memory() {
    alive();
    MemoryRegion.Kind kind =
        process.faulted == null ? MemoryRegion.Kind.PRIVATE_IMAGE : MemoryRegion.Kind.FAULTED;
    return new GuestMemory(
        process.pid,
        spec.memoryBytes(),
        List.of(new MemoryRegion(0, ADDRESS, spec.memoryBytes(), kind)),
        false);
  }

  @Override
  public InetSocketAddress endpoint(int guestPort) {
    ReferenceHypervisor.checkPort(guestPort);
    if (spec.network() instanceof NetworkPlan.User network) {
      return new InetSocketAddress(network.address(), guestPort);
    }
    throw new RametException(ErrorCode.UNSUPPORTED, "not user networking: " + spec.network());
  }

  @Override
  public EgressPoint egress() {
    return new EgressPoint.Process(process.pid);
  }

  @Override
  public CompletionStage<VmExit> exit() {
    return process.ended.thenApply(
        requested -> new VmExit(requested, requested ? "killed" : "it ended by itself"));
  }

  @Override
  public void kill(Duration timeout) {
    hypervisor.machines.end(process.pid, true);
    try {
      Files.deleteIfExists(spec.directory().resolve(ReferenceHypervisor.PID));
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot delete: " + e.getMessage(), e);
    }
  }

  /** A pause, with or without a save. */
  class Paused implements SavingVm {
    private final @Nullable Path save;

    Paused(@Nullable Path save) {
      this.save = save;
    }

    @Override
    public long pid() {
      return process.pid;
    }

    @Override
    public EgressPoint egress() {
      return ReferenceVm.this.egress();
    }

    @Override
    public void saveDevices(Path directory) {
      alive();
      ReferenceState.write(directory);
    }

    @Override
    public void awaitDevices() {
      alive();
    }

    @Override
    public void finishDevices() {
      alive();
      if (save != null) {
        ReferenceState.write(save);
      }
    }

    @Override
    public GuestMemory memory() {
      return ReferenceVm.this.memory();
    }

    @Override
    public RunningVm resume() {
      synchronized (ReferenceVm.this) {
        if (pause == this) {
          alive();
          pause = null;
          letRun();
        }
        return ReferenceVm.this;
      }
    }

    @Override
    public void kill() {
      ReferenceVm.this.kill(Duration.ZERO);
    }

    @Override
    public void close() {
      synchronized (ReferenceVm.this) {
        if (!process.ended.isDone()) {
          resume();
        }
      }
    }
  }
}
