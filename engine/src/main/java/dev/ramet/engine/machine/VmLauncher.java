// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.guard.StartGate;
import dev.ramet.engine.state.HostSecret;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.NetworkPlan;
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

  /** The name of a machine's disk, which saved states may hold. */
  private static final String DISK = "disk0";

  private static final int ADDRESS_TRIES = 5;
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  private final Hypervisor hypervisor;
  private final HypervisorFacts facts;
  private final HostNetwork network;
  private final Duration startTimeout;
  private final StorageBackend storage;
  private final RestoreMemory memory;
  private final Layout layout;
  private final EgressEnforcer confinement;

  /**
   * Creates a launcher.
   *
   * @param facts the facts about the hypervisor
   * @param network connects its machines
   * @param startTimeout how long a machine may take to start, to be restored or to be found again
   * @param memory finds the memory of restored machines
   */
  public VmLauncher(
      Hypervisor hypervisor,
      HypervisorFacts facts,
      HostNetwork network,
      Duration startTimeout,
      StorageBackend storage,
      RestoreMemory memory,
      Layout layout,
      EgressEnforcer confinement) {
    this.hypervisor = hypervisor;
    this.facts = facts;
    this.network = network;
    this.startTimeout = startTimeout;
    this.storage = storage;
    this.memory = memory;
    this.layout = layout;
    this.confinement = confinement;
  }

  /** Returns how the host proves itself to the agent of a machine that is about to start. */
  HostProof proof(SnapshotRecord source, boolean warm) {
    return HostProof.forMachine(source, warm, facts.guestSecret());
  }

  /**
   * Runs a machine at an address of its own. If this fails, no process of it is left.
   *
   * @param start decides whether it may run
   */
  RunningVm run(MachineOrder order, SandboxRecord.Machine planned, StartGate.Start start) {
    checkReseeding(order);
    HostNetwork.Guest guest =
        guest(order.sandboxId(), planned, order.source().agentPort(), order.outbound());
    for (int attempt = 1; ; attempt++) {
      NetworkPlan plan = network.plan(guest);
      try {
        VmSpec spec = spec(order.sandboxId(), planned, plan, order.accessToken());
        MachineBoot.check(spec.boot(), facts.accepts().kernels());
        if (facts.restores().samePaths()) {
          spec.disks().forEach(disk -> MachineBoot.link(spec.directory(), disk));
        }
        RunningVm vm = launch(order, spec, start);
        releaseAtEnd(guest, vm);
        return vm;
      } catch (RuntimeException e) {
        network.release(guest.machine());
        boolean taken = e instanceof RametException known && known.code() == ErrorCode.CONFLICT;
        if (!taken || attempt == ADDRESS_TRIES) {
          throw e;
        }
        // Another machine on this host has taken the address.
      }
    }
  }

  /**
   * Refuses copies of a guest that would all draw the same random numbers: without a generation id
   * only its agent can reseed them, which it does when it is initialised.
   */
  private void checkReseeding(MachineOrder order) {
    if (order.canRestore()
        && order.source().agentPort() == null
        && !facts.restores().newGenerationId()) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          order.source().id() + " has no agent that could reseed the guest's random numbers",
          "use a template with an agent, or a hypervisor that gives guests a generation id",
          null);
    }
  }

  private static HostNetwork.Guest guest(
      String sandboxId,
      SandboxRecord.Machine machine,
      @Nullable Integer agentPort,
      boolean outbound) {
    return new HostNetwork.Guest(
        Layout.machineName(sandboxId, machine.number()),
        agentPort == null ? List.of() : List.of(agentPort),
        outbound);
  }

  private void releaseAtEnd(HostNetwork.Guest guest, RunningVm vm) {
    try {
      var unused = vm.exit().whenComplete((exit, failure) -> network.release(guest.machine()));
    } catch (RametException e) {
      LOG.log(System.Logger.Level.WARNING, "the network of " + guest.machine() + " stays", e);
    }
  }

  private RunningVm launch(MachineOrder order, VmSpec spec, StartGate.Start start) {
    SnapshotRecord source = order.source();
    VmIdentity identity = source.identity();
    if (!order.canRestore() || identity == null) {
      start.check();
      RunningVm booted = hypervisor.boot(spec, startTimeout);
      try {
        start.runs(booted);
        // Its kernel has only just begun and does not use the network yet.
        confinement.confine(order, spec.network(), booted.egress());
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
            memory.of(Layout.snapshotMemory(source.id())),
            identity);
    // Not closed, because closing it would resume a machine that nobody holds.
    PausedVm paused = hypervisor.restore(spec, saved, startTimeout);
    try {
      confinement.confine(order, spec.network(), paused.egress());
      start.check();
      RunningVm resumed = paused.resume();
      start.runs(resumed);
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
      NetworkPlan plan,
      @Nullable String accessToken) {
    HostSecret secret = machine.hostSecret();
    Path directory = layout.machine(sandboxId, machine.number());
    Attachment disk = storage.attach(Layout.machineDisk(sandboxId, machine.number()));
    return new VmSpec(
        sandboxId,
        directory,
        machine.cpuCount(),
        machine.memoryBytes(),
        MachineBoot.of(directory, machine.hasInitrd(), machine.kernelArguments()),
        List.of(new Disk(DISK, disk)),
        plan,
        secret == null || !facts.guestSecret() ? null : HostProof.handedOver(secret, accessToken));
  }

  /**
   * Finds the machine of a sandbox that ran when the host ended. Empty when the machine has ended
   * too.
   */
  public Optional<RunningVm> reattach(SandboxRecord record) {
    SandboxRecord.Machine machine = record.machine();
    HostNetwork.Guest guest = guest(record.id(), machine, record.agentPort(), record.outbound());
    NetworkPlan plan = network.again(guest, machine.hostAddress());
    VmSpec spec = spec(record.id(), machine, plan, record.terms().accessToken());
    Optional<RunningVm> found = hypervisor.reattach(spec, startTimeout);
    found.ifPresent(vm -> releaseAtEnd(guest, vm));
    return found;
  }

  /** Restores the egress rules of a machine that was found again. */
  void reapplyRules(SandboxRecord record, RunningVm vm) {
    confinement.reapply(record, vm);
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
      LOG.log(
          System.Logger.Level.WARNING,
          "cannot end " + old.spec().name() + " through its driver; ending its processes",
          e);
      try {
        hypervisor.reap(old.spec().directory());
      } catch (RuntimeException again) {
        LOG.log(System.Logger.Level.ERROR, "cannot end " + old.spec().name(), again);
      }
    }
  }
}
