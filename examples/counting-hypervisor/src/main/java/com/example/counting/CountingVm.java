// SPDX-License-Identifier: Apache-2.0
package com.example.counting;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.EgressPoint;
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

/**
 * A machine. Thread-safe: there is one pause at a time, and an earlier pause cannot affect a later
 * one.
 */
final class CountingVm implements RunningVm {
  private final VmSpec spec;
  private final Control control;
  private final CompletionStage<VmExit> exit;
  private volatile boolean killed;
  private @Nullable Pause pause;

  CountingVm(VmSpec spec, Control control) {
    this.spec = spec;
    this.control = control;
    this.exit =
        control
            .process()
            .onExit()
            .thenApply(
                process ->
                    killed
                        ? new VmExit(true, "ended on request")
                        : new VmExit(false, "it ended: " + Failures.lastWords(spec.directory())));
  }

  /** Returns the pause in which a restored machine starts. */
  synchronized PausedVm standsStill() {
    Pause first = new Pause(null);
    pause = first;
    return first;
  }

  /** Ends a pause whose holder is gone. */
  synchronized RunningVm takeBack() {
    pause = null;
    control.order("resume");
    return this;
  }

  private synchronized Pause stop(@Nullable Path save) {
    if (pause != null && control.process().isAlive()) {
      throw new RametException(ErrorCode.CONFLICT, "the machine is paused: " + spec.name());
    }
    Pause next = new Pause(save);
    pause = next;
    boolean stands = false;
    try {
      control.order("pause");
      stands = true;
      return next;
    } finally {
      if (!stands) {
        next.close();
      }
    }
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
    return Specs.identity(spec);
  }

  @Override
  public long pid() {
    return control.process().pid();
  }

  @Override
  public GuestMemory memory() {
    String[] where = control.order("memory").split(" ");
    MemoryRegion all =
        new MemoryRegion(
            0, Long.parseLong(where[0]), spec.memoryBytes(), MemoryRegion.Kind.valueOf(where[1]));
    // Without a balloon or free page reporting the guest never returns memory.
    return new GuestMemory(pid(), spec.memoryBytes(), List.of(all), false);
  }

  @Override
  public InetSocketAddress endpoint(int guestPort) {
    Specs.checkPort(guestPort);
    int port = Integer.parseInt(control.order("forward " + guestPort));
    return new InetSocketAddress(Specs.network(spec).address(), port);
  }

  @Override
  public EgressPoint egress() {
    // Its network is part of its process.
    return new EgressPoint.Process(pid());
  }

  @Override
  public CompletionStage<VmExit> exit() {
    return exit;
  }

  @Override
  public void kill(Duration timeout) {
    if (control.process().isAlive()) {
      killed = true;
      Processes.end(control.process(), timeout);
      CountingHypervisor.tidy(spec.directory());
    }
  }

  /** A pause, with or without a save that started with it. Used by one thread. */
  private final class Pause implements SavingVm {
    private static final Duration END = Duration.ofSeconds(30);

    private final @Nullable Path save;

    Pause(@Nullable Path save) {
      this.save = save;
    }

    @Override
    public long pid() {
      return CountingVm.this.pid();
    }

    @Override
    public EgressPoint egress() {
      return CountingVm.this.egress();
    }

    @Override
    public GuestMemory memory() {
      return CountingVm.this.memory();
    }

    @Override
    public void saveDevices(Path directory) {
      boolean saved = false;
      try {
        control.order("save " + directory);
        saved = true;
      } finally {
        if (!saved) {
          forget(directory);
        }
      }
    }

    @Override
    public void awaitDevices() {
      if (save != null) {
        saveDevices(save);
      }
    }

    @Override
    public void finishDevices() {
      if (save != null && !Files.isRegularFile(save.resolve(TrialMachine.DEVICES))) {
        throw new RametException(ErrorCode.HYPERVISOR_FAILED, "nothing was saved in " + save);
      }
    }

    @Override
    public RunningVm resume() {
      synchronized (CountingVm.this) {
        if (pause == this) {
          control.order("resume");
          pause = null;
        }
        return CountingVm.this;
      }
    }

    @Override
    public void kill() {
      CountingVm.this.kill(END);
    }

    /**
     * Resumes the machine if nobody has; a state saved in this pause is then useless and deleted.
     */
    @Override
    public void close() {
      // Even an interrupted thread must not leave a machine paused.
      boolean interrupted = Thread.interrupted();
      try {
        synchronized (CountingVm.this) {
          if (pause == this) {
            giveUp();
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    private void giveUp() {
      if (save != null) {
        forget(save);
      }
      try {
        resume();
      } catch (RametException e) {
        // A machine that has ended is not paused.
        if (control.process().isAlive()) {
          throw e;
        }
      }
    }

    private void forget(Path directory) {
      try {
        Files.deleteIfExists(directory.resolve(TrialMachine.DEVICES));
      } catch (IOException e) {
        throw new RametException(ErrorCode.HOST_UNFIT, "cannot tidy " + directory + ": " + e, e);
      }
    }
  }
}
