// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.guard.StartGate;
import dev.ramet.engine.machine.UserNetwork;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.pages.PageWriter;
import dev.ramet.engine.pages.StagingPool;
import dev.ramet.engine.root.DataRoots;
import dev.ramet.engine.root.RootOpener;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.selection.PluginSelection;
import dev.ramet.engine.snapshots.Snapshots;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.space.StorageReserve;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.templates.Templates;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.engine.tracking.ModeCandidate;
import dev.ramet.engine.volume.VolumeLinks;
import dev.ramet.engine.volume.VolumeOperations;
import dev.ramet.engine.volume.VolumeStore;
import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.Prober;
import dev.ramet.pluginhost.Selection;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.settings.Settings;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.reference.remote.RemoteHarness;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The parts of an engine on the kit's remote backend, connected as {@link EngineAssembly} connects
 * them, without a search for plugins.
 */
final class RemoteEngine implements AutoCloseable {
  private static final long STAGING_BYTES = 16L << 20;

  private final Undo close = new Undo();
  final RemoteHarness remote;
  final StorageBackend storage;
  final FaultedHypervisor hypervisor;
  final StartGate gate = new StartGate();
  final Sandboxes sandboxes;
  final Snapshots snapshots;
  final Templates templates;

  RemoteEngine(Path directory) throws Exception {
    this(directory, new FreeSpace(List.of(), new StorageReserve(null)));
  }

  /** Opens an engine whose guard watches some file systems. */
  RemoteEngine(Path directory, FreeSpace space) throws Exception {
    Path dataRoot = Files.createDirectory(directory.resolve("data"));
    EngineConfig config =
        new EngineConfig(Settings.NONE.with(EngineConfig.DATA_ROOT, dataRoot), StepObserver.NONE);
    remote = new RemoteHarness(Files.createDirectory(directory.resolve("remote"))).start();
    close.add("server", remote::close);
    storage = remote.provider().open(new ProbeContext(remote.root()));
    close.add("storage", storage::close);
    hypervisor = new FaultedHypervisor(Files.createDirectory(directory.resolve("scratch")));
    close.add("machines", () -> hypervisor.reap(dataRoot));
    Layout layout = new Layout(dataRoot);
    Files.createDirectory(layout.snapshots());
    Files.createDirectory(layout.sandboxes());
    RootContents root =
        new RootContents(
            dataRoot,
            layout,
            storage,
            new RootContents.Records(
                new SnapshotStore(layout, config.steps()),
                new SandboxStore(layout),
                new PendingSnapshots()),
            hypervisor,
            config.steps(),
            false);
    OpenedRoots opened = opened(config, layout);
    SnapshotReclaimer reclaimer = new SnapshotReclaimer(root);
    Registry metrics = new Registry();
    StagingPool staging = new StagingPool(STAGING_BYTES);
    close.add("staging memory", staging::close);
    GuestNetwork network = GuestNetwork.open(config, close);
    VolumeStore volumes = new VolumeStore(layout);
    EngineThreads threads = EngineThreads.start(close);
    MachineParts machines =
        MachineParts.assemble(
            config,
            root,
            FaultedHypervisor.FACTS,
            new UserNetwork(),
            network,
            new VolumeLinks(volumes),
            gate,
            MachineParts.workingSets(config, root, reclaimer, metrics, threads.timer(), close));
    CaptureParts captures =
        CaptureParts.assemble(
            config,
            root,
            reclaimer,
            new CaptureParts.Memory(opened.modes(), true, new PageWriter(staging, STAGING_BYTES)),
            metrics,
            space,
            close);
    new SpaceParts(space, space, false).guard(root, gate, metrics, close);
    LifecycleParts lives =
        LifecycleParts.assemble(
            config, root, reclaimer, opened.modes(), threads, machines, captures, close);
    OperationAssembly assembly =
        new OperationAssembly(config, opened, root, reclaimer, machines, captures, lives);
    sandboxes = assembly.sandboxes(network, new VolumeOperations(volumes, root.sandboxes()));
    snapshots = assembly.snapshots(threads.workers());
    templates = assembly.templates();
  }

  private OpenedRoots opened(EngineConfig config, Layout layout) throws Exception {
    PluginPolicy policy = PluginPolicy.from(config.settings());
    Plugins none = Plugins.find(policy);
    Prober prober = new Prober(Duration.ofSeconds(10));
    RootOpener.Root main =
        new RootOpener.Root(
            PluginKind.STORAGE,
            layout,
            null,
            remote.provider(),
            List.of(),
            new Selection("storage", "", remote.provider().id(), "the test's"),
            null);
    MemoryModes modes =
        new MemoryModes(
            List.of(
                ModeCandidate.open(
                    "all", MemoryFacts.of(MemoryFeature.ANY_MEMORY), new AllPagesMode())),
            null);
    try (PluginSelection.PendingProbes probing =
        PluginSelection.PendingProbes.start(config, none, prober, Set.of(NetworkPlan.Kind.USER))) {
      return new OpenedRoots(
          new DataRoots(main, null),
          List.of(),
          storage,
          probing.await(),
          hypervisor,
          modes,
          new RootOpener(config, none, prober));
    }
  }

  @Override
  public void close() {
    close.close();
  }
}
