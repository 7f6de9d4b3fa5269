// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A machine that is paused before a capture and stays paused after it, so that nothing the guest
 * does in between is lost. A capture uses it like any other machine. {@link #close} resumes it
 * unless it was ended. Used by one thread.
 */
public final class AlreadyPausedVm implements RunningVm, AutoCloseable {
  private final RunningVm vm;
  private final PausedVm paused;

  /** Pauses the machine. */
  public AlreadyPausedVm(RunningVm vm) {
    this.vm = vm;
    this.paused = vm.pause();
  }

  /** Ends the machine instead of resuming it. */
  public void killPaused() {
    paused.kill();
  }

  @Override
  public void close() {
    paused.close();
  }

  @Override
  public PausedVm pause() {
    return new Moment();
  }

  /**
   * {@inheritDoc} The save is complete on return, because nobody waits for this machine to run
   * again.
   */
  @Override
  public SavingVm pauseAndSave(Path directory) {
    paused.saveDevices(directory);
    return new Moment();
  }

  /** A pause within the long pause: ending it changes nothing. */
  private final class Moment implements SavingVm {
    @Override
    public void awaitDevices() {}

    @Override
    public void finishDevices() {}

    @Override
    public long pid() {
      return paused.pid();
    }

    @Override
    public EgressPoint egress() {
      return paused.egress();
    }

    @Override
    public void saveDevices(Path directory) {
      paused.saveDevices(directory);
    }

    @Override
    public GuestMemory memory() {
      return paused.memory();
    }

    @Override
    public RunningVm resume() {
      return AlreadyPausedVm.this;
    }

    @Override
    public void kill() {
      killPaused();
    }

    @Override
    public void close() {
      // The machine stays paused.
    }
  }

  @Override
  public VmSpec spec() {
    return vm.spec();
  }

  @Override
  public VmIdentity identity() {
    return vm.identity();
  }

  @Override
  public long pid() {
    return vm.pid();
  }

  @Override
  public GuestMemory memory() {
    return paused.memory();
  }

  @Override
  public InetSocketAddress endpoint(int guestPort) {
    return vm.endpoint(guestPort);
  }

  @Override
  public EgressPoint egress() {
    return vm.egress();
  }

  @Override
  public CompletionStage<VmExit> exit() {
    return vm.exit();
  }

  @Override
  public void kill(Duration timeout) {
    vm.kill(timeout);
  }
}
