// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

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

/** A machine. Thread-safe; an earlier pause has no say in a later one. */
class MicroVm implements RunningVm {
  private static final Duration END = Duration.ofSeconds(30);

  final MicroProcess process;
  private final VmSpec spec;
  private final CompletionStage<VmExit> exit;
  private volatile boolean killed;
  private @Nullable Pause pause;

  MicroVm(VmSpec spec, MicroProcess process) {
    this.spec = spec;
    this.process = process;
    this.exit =
        process
            .handle()
            .onExit()
            .thenApply(
                handle ->
                    new VmExit(
                        killed, killed ? "killed" : "it ended by itself: " + process.lastWords()));
  }

  /** Returns the pause in which a restored machine starts. */
  synchronized PausedVm standStill() {
    Pause first = new Pause(null);
    pause = first;
    return first;
  }

  /** Ends a pause that has lost its owner. */
  synchronized RunningVm takeBack() {
    pause = null;
    process.order("resume");
    return this;
  }

  private synchronized Pause stop(@Nullable Path save) {
    if (pause != null && process.handle().isAlive()) {
      throw new RametException(ErrorCode.CONFLICT, "the machine is paused: " + spec.name());
    }
    process.order("pause");
    Pause next = new Pause(save);
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
    return MicroSpecs.identity(spec);
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public GuestMemory memory() {
    String[] words = process.order("memory").split(" ", -1);
    long address = Long.parseLong(words[0]);
    MemoryRegion all =
        new MemoryRegion(0, address, spec.memoryBytes(), MemoryRegion.Kind.valueOf(words[1]));
    return new GuestMemory(pid(), spec.memoryBytes(), List.of(all), false)
        .with(new MicroLog(process, address));
  }

  @Override
  public InetSocketAddress endpoint(int guestPort) {
    MicroSpecs.checkPort(guestPort);
    return new InetSocketAddress(MicroSpecs.network(spec).endpoint(), guestPort);
  }

  @Override
  public EgressPoint egress() {
    NetworkPlan.Tap tap = MicroSpecs.network(spec);
    return new EgressPoint.Device(tap.netns(), tap.device());
  }

  @Override
  public CompletionStage<VmExit> exit() {
    return exit;
  }

  @Override
  public void kill(Duration timeout) {
    if (process.handle().isAlive()) {
      killed = true;
    }
    process.end(timeout);
  }

  /** Writes the device state, as part of which the process changes memory. */
  void save(Path directory) {
    process.order("save " + directory.toAbsolutePath());
  }

  /** A pause, with or without a save. Used by one thread. */
  private final class Pause implements SavingVm {
    private final @Nullable Path save;

    Pause(@Nullable Path save) {
      this.save = save;
    }

    @Override
    public long pid() {
      return MicroVm.this.pid();
    }

    @Override
    public EgressPoint egress() {
      return MicroVm.this.egress();
    }

    @Override
    public void saveDevices(Path directory) {
      save(directory);
    }

    @Override
    public void awaitDevices() {
      if (save != null) {
        save(save);
      }
    }

    @Override
    public void finishDevices() {
      if (save != null && !Files.exists(save.resolve(MicroSpecs.STATE))) {
        throw new RametException(ErrorCode.HYPERVISOR_FAILED, "nothing was saved in " + save);
      }
    }

    @Override
    public GuestMemory memory() {
      return MicroVm.this.memory();
    }

    @Override
    public RunningVm resume() {
      synchronized (MicroVm.this) {
        if (pause == this) {
          process.order("resume");
          pause = null;
        }
        return MicroVm.this;
      }
    }

    @Override
    public void kill() {
      MicroVm.this.kill(END);
    }

    @Override
    public void close() {
      synchronized (MicroVm.this) {
        if (pause != this) {
          return;
        }
        discard();
        if (process.handle().isAlive()) {
          resume();
        }
      }
    }

    private void discard() {
      try {
        if (save != null) {
          Files.deleteIfExists(save.resolve(MicroSpecs.STATE));
        }
      } catch (IOException e) {
        throw new RametException(ErrorCode.HOST_UNFIT, "cannot discard a save: " + e, e);
      }
    }
  }
}
