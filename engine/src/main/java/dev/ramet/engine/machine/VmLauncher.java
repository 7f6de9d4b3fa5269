// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.state.HostSecret;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.StorageBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Has the hypervisor run machines whose disks and files are in place, under their egress rules, and
 * finds them again after a restart of the host. Thread-safe.
 */
public final class VmLauncher {
  /** How long a machine may take to start or be restored. */
  public static final Setting<Duration> START_TIMEOUT =
      Setting.duration(
          "ramet.start-timeout", Duration.ofSeconds(60), "How long a machine may take to start.");

  private static final System.Logger LOG = System.getLogger(VmLauncher.class.getName());
  private static final int ADDRESS_TRIES = 5;
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  private final Hypervisor hypervisor;
  private final boolean handsSecrets;
  private final Duration startTimeout;
  private final StorageBackend storage;
  private final Layout layout;
  private final EgressEnforcer confinement;

  /**
   * Creates a launcher.
   *
   * @param handsSecrets whether the hypervisor gives guests secrets
   * @param startTimeout how long a machine may take to start, to be restored or to be found again
   */
  public VmLauncher(
      Hypervisor hypervisor,
      boolean handsSecrets,
      Duration startTimeout,
      StorageBackend storage,
      Layout layout,
      EgressEnforcer confinement) {
    this.hypervisor = hypervisor;
    this.handsSecrets = handsSecrets;
    this.startTimeout = startTimeout;
    this.storage = storage;
    this.layout = layout;
    this.confinement = confinement;
  }

  /** Returns how the host proves itself to the agent of a machine that is about to start. */
  HostProof proof(SnapshotRecord source, boolean warm) {
    return HostProof.of(source, warm, handsSecrets);
  }

  /** Runs a machine at an address of its own. If this fails, no process of it is left. */
  RunningVm run(MachineStarter.Order order, SandboxRecord.Machine planned) {
    for (int attempt = 1; ; attempt++) {
      VmSpec spec =
          spec(
              order.sandboxId(),
              planned,
              HostAddresses.next(),
              order.source().agentPort(),
              order.outbound(),
              order.accessToken());
      try {
        return launch(order, spec);
      } catch (RametException e) {
        if (e.code() != ErrorCode.CONFLICT || attempt == ADDRESS_TRIES) {
          throw e;
        }
        // Another machine on this host has taken the address.
      }
    }
  }

  private RunningVm launch(MachineStarter.Order order, VmSpec spec) {
    SnapshotRecord source = order.source();
    VmIdentity identity = source.identity();
    if (!order.warm() || identity == null) {
      RunningVm booted = hypervisor.boot(spec, startTimeout);
      try {
        // Its kernel has only just begun and does not use the network yet.
        confinement.confine(order, spec, booted.pid());
        confinement.releaseAtEnd(order, booted);
        return booted;
      } catch (RuntimeException e) {
        giveUp(() -> booted.kill(KILL_TIMEOUT), booted);
        throw e;
      }
    }
    SavedVm saved =
        new SavedVm(
            Layout.devices(layout.snapshot(source.id())),
            storage.attach(Layout.snapshotMemory(source.id())),
            identity);
    // Not closed, because closing it would resume a machine that nobody holds.
    PausedVm paused = hypervisor.restore(spec, saved, startTimeout);
    try {
      confinement.confine(order, spec, paused.pid());
      RunningVm resumed = paused.resume();
      confinement.releaseAtEnd(order, resumed);
      return resumed;
    } catch (RuntimeException e) {
      try {
        paused.kill();
      } catch (RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /** Returns the machine's specification, the same at its start and when it is found again. */
  private VmSpec spec(
      String sandboxId,
      SandboxRecord.Machine machine,
      String hostAddress,
      @Nullable Integer agentPort,
      boolean outbound,
      @Nullable String accessToken) {
    HostSecret secret = machine.hostSecret();
    Path directory = layout.machine(sandboxId, machine.number());
    Attachment disk = storage.attach(Layout.machineDisk(sandboxId, machine.number()));
    return new VmSpec(
        sandboxId,
        directory,
        machine.cpuCount(),
        machine.memoryBytes(),
        Layout.kernel(directory),
        machine.hasInitrd() ? Layout.initrd(directory) : null,
        machine.kernelArguments(),
        List.of(disk),
        new VmSpec.Network(
            hostAddress, agentPort == null ? List.of() : List.of(agentPort), outbound),
        secret == null || !handsSecrets ? null : HostProof.handedOver(secret, accessToken));
  }

  /**
   * Finds the machine of a sandbox that ran when the host ended. Empty when the machine has ended
   * too.
   */
  public Optional<RunningVm> reattach(SandboxRecord record) {
    VmSpec spec =
        spec(
            record.id(),
            record.machine(),
            record.machine().hostAddress(),
            record.agentPort(),
            record.outbound(),
            record.terms().accessToken());
    return hypervisor.reattach(spec, startTimeout);
  }

  /** Restores the egress rules of a machine that was found again. */
  void confineAgain(SandboxRecord record, RunningVm vm) {
    confinement.again(record, vm);
  }

  /**
   * Ends a machine that its sandbox no longer needs. Never throws, but tries by all means to end
   * it: it must not run next to its replacement.
   *
   * @param kill kills the machine through its own handle
   */
  void giveUp(Runnable kill, RunningVm old) {
    try {
      kill.run();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot end " + old.spec().name() + " by itself", e);
      try {
        hypervisor.reap(old.spec().directory());
      } catch (RuntimeException again) {
        LOG.log(System.Logger.Level.ERROR, "cannot end " + old.spec().name(), again);
      }
    }
  }
}
