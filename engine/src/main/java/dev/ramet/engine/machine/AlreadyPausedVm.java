// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

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
 * A machine that a capture sees as any other, but that stands still before the capture and after
 * it: so nothing happens in the guest that would be lost. {@link #close} lets it run again unless
 * it was ended. Used by one thread.
 */
public final class AlreadyPausedVm implements RunningVm, AutoCloseable {
  private final RunningVm vm;
  private final PausedVm paused;

  /** Stops the machine. */
  public AlreadyPausedVm(RunningVm vm) {
    this.vm = vm;
    this.paused = vm.pause();
  }

  /** Ends the machine instead of letting it run. */
  public void end() {
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

  /** {@inheritDoc} Nobody waits for this machine to run again, so the save is over on return. */
  @Override
  public SavingVm pauseAndSave(Path directory) {
    paused.saveDevices(directory);
    return new Moment();
  }

  /** A pause whose end changes nothing. */
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
      end();
    }

    @Override
    public void close() {
      // The machine goes on standing still.
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
  public InetSocketAddress forward(int guestPort) {
    return vm.forward(guestPort);
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
