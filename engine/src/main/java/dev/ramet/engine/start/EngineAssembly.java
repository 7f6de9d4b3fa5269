// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.Doctor;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.guard.StartGate;
import dev.ramet.engine.machine.HostNetwork;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.pages.PageWriter;
import dev.ramet.engine.pages.StagingPool;
import dev.ramet.engine.sandbox.RecordGauges;
import dev.ramet.engine.selection.UnauthenticatedAgents;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.engine.volume.VolumeLinks;
import dev.ramet.engine.volume.VolumeOperations;
import dev.ramet.engine.volume.VolumeStore;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Host;
import dev.ramet.linux.file.Warmup;
import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import java.io.IOException;
import java.util.List;

/** Creates the parts of an engine in the order in which they depend on each other. */
final class EngineAssembly {
  /** Memory that holds the pages read during a pause until they are written. */
  private static final long STAGING_BYTES = 64L << 20;

  // The staging memory is shared: this many captures can be paused at once with all that each may
  // stage.
  private static final int CAPTURES_STAGED_AT_ONCE = 4;

  private EngineAssembly() {}

  /**
   * Opens a data root. If this fails, what was opened is closed again.
   *
   * @param networks the networks that this host gives machines, the preferred one first
   */
  static Engine open(EngineConfig config, PluginHost plugins, List<HostNetwork> networks) {
    Undo close = new Undo();
    try {
      return open(config, plugins, networks, close);
    } catch (IOException | LinuxException | RuntimeException e) {
      close.close();
      throw Errors.translate("cannot open " + config.dataRoot(), config.dataRoot(), e);
    }
  }

  private static Engine open(
      EngineConfig config, PluginHost loaded, List<HostNetwork> networks, Undo close)
      throws IOException, LinuxException {
    Warmup.warm();
    // The machines' processes inherit this. A hypervisor touches single pages scattered over much
    // memory (above all an emulator's translated code): with huge pages each touch would cost 2
    // MiB.
    Host.disableHugePages();
    Plugins plugins = loaded.checked(PluginPolicy.from(config.settings()));
    OpenedRoots opened = OpenedRoots.open(config, plugins, HostNetwork.kinds(networks), close);
    RootContents root = contents(config, opened);
    SnapshotReclaimer reclaimer = new SnapshotReclaimer(root);
    MemoryModes modes = opened.modes();
    HypervisorFacts facts = opened.plugins().hypervisorFacts();
    Registry metrics = new Registry();

    StagingPool staging = new StagingPool(STAGING_BYTES * CAPTURES_STAGED_AT_ONCE);
    close.add("staging memory", staging::close);
    GuestNetwork network = GuestNetwork.open(config, close);
    VolumeStore volumeStore = new VolumeStore(root.layout());
    close.add("volumes", volumeStore::close);
    VolumeLinks links = new VolumeLinks(volumeStore);
    close.add("connections of shared volumes", links::close);
    VolumeOperations volumes = new VolumeOperations(volumeStore, root.sandboxes());
    Doctor doctor =
        opened
            .plugins()
            .doctor(
                opened.roots(),
                network.egress(),
                new UnauthenticatedAgents(root.sandboxes(), root.snapshots(), facts.guestSecret()),
                opened::probes);

    SpaceParts space = SpaceParts.of(config, opened);
    space.all().register(metrics);
    StartGate gate = new StartGate();
    EngineThreads threads = EngineThreads.start(close);
    MachineParts machines =
        MachineParts.assemble(
            config,
            root,
            facts,
            HostNetwork.choose(networks, facts),
            network,
            links,
            gate,
            MachineParts.workingSets(config, root, reclaimer, metrics, threads.timer(), close));
    PageWriter pages = new PageWriter(staging, STAGING_BYTES);
    CaptureParts captures =
        CaptureParts.assemble(
            config,
            root,
            reclaimer,
            new CaptureParts.Memory(modes, facts.saves().memoryStable(), pages),
            metrics,
            space.all(),
            close);
    RecordGauges.register(metrics, root.sandboxes(), root.snapshots());
    LifecycleParts lives =
        LifecycleParts.assemble(config, root, reclaimer, modes, threads, machines, captures, close);
    MachineRecovery recovery =
        new MachineRecovery(root, modes, machines.launcher(), machines.starter());
    // Machines that are found again write at once, while the others are still searched for.
    space.guard(root, gate, metrics, close);
    new StartupRecovery(root, volumeStore, network.egress(), recovery, lives.lifecycle(), reclaimer)
        .run();
    volumes.removeNamelessFiles();
    OperationAssembly assembly =
        new OperationAssembly(config, opened, root, reclaimer, machines, captures, lives);
    return new OpenEngine(
        new OpenEngine.Operations(
            assembly.sandboxes(network, volumes),
            assembly.snapshots(threads.workers()),
            assembly.templates(),
            volumes,
            assembly.storage(),
            network.requests().secrets()),
        doctor,
        metrics,
        close);
  }

  private static RootContents contents(EngineConfig config, OpenedRoots opened) {
    Layout layout = opened.layout();
    return new RootContents(
        config.dataRoot(),
        layout,
        opened.storage(),
        new RootContents.Records(
            new SnapshotStore(layout, config.steps()),
            new SandboxStore(layout),
            new PendingSnapshots()),
        opened.hypervisor(),
        config.steps(),
        false);
  }
}
