// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.injection.UpstreamTls;
import dev.ramet.egress.rule.Cidr;
import dev.ramet.egress.rule.Secrets;
import dev.ramet.engine.Doctor;
import dev.ramet.engine.Engine;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.Metric;
import dev.ramet.engine.OwnerOnly;
import dev.ramet.engine.Sandboxes;
import dev.ramet.engine.Snapshots;
import dev.ramet.engine.Storage;
import dev.ramet.engine.Templates;
import dev.ramet.engine.Volumes;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.capture.CopyPreparer;
import dev.ramet.engine.check.StorageOperations;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.exchange.BaseFinder;
import dev.ramet.engine.exchange.ImageAssembler;
import dev.ramet.engine.exchange.Importer;
import dev.ramet.engine.guest.Agent;
import dev.ramet.engine.machine.AgentSetup;
import dev.ramet.engine.machine.EgressEnforcer;
import dev.ramet.engine.machine.LogLimits;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.machine.WorkingSetPrefetcher;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.network.EgressFilter;
import dev.ramet.engine.pages.PageWriter;
import dev.ramet.engine.pages.StagingPool;
import dev.ramet.engine.plugin.Plugins;
import dev.ramet.engine.plugin.Probed;
import dev.ramet.engine.plugin.Prober;
import dev.ramet.engine.root.OpenContents;
import dev.ramet.engine.root.OpenRoot;
import dev.ramet.engine.root.RootLock;
import dev.ramet.engine.root.RootOpener;
import dev.ramet.engine.root.Roots;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.sandbox.Cloner;
import dev.ramet.engine.sandbox.NetworkChange;
import dev.ramet.engine.sandbox.PauseService;
import dev.ramet.engine.sandbox.Rollback;
import dev.ramet.engine.sandbox.SandboxExpiry;
import dev.ramet.engine.sandbox.SandboxLifecycle;
import dev.ramet.engine.sandbox.SandboxOperations;
import dev.ramet.engine.sandbox.Views;
import dev.ramet.engine.selection.OpenAgents;
import dev.ramet.engine.selection.PluginSelection;
import dev.ramet.engine.selection.ProbeRemains;
import dev.ramet.engine.snapshot.SnapshotOperations;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SecretFile;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.template.ImageTemplateBuilder;
import dev.ramet.engine.template.StepTemplateBuilder;
import dev.ramet.engine.template.TemplateOperations;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.engine.volume.VolumeLinks;
import dev.ramet.engine.volume.VolumeOperations;
import dev.ramet.engine.volume.VolumeStore;
import dev.ramet.errors.RametException;
import dev.ramet.files.Directories;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Host;
import dev.ramet.linux.file.Warmup;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** An open engine: creates all parts when it opens, and closes them in reverse order. */
public final class EngineAssembly implements Engine {
  private static final System.Logger LOG = System.getLogger(EngineAssembly.class.getName());
  private static final Duration PROBE_DEADLINE = Duration.ofSeconds(30);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);
  private static final int LOG_SECONDS = 5;
  // The staging memory is shared: this many captures can be paused at once with all that each may
  // stage.
  private static final int CAPTURES_STAGED_AT_ONCE = 4;

  private final Sandboxes sandboxes;
  private final Snapshots snapshots;
  private final Templates templates;
  private final Volumes volumes;
  private final Storage storage;
  private final Secrets secrets;
  private final Doctor doctor;
  private final Registry metrics;
  private final Undo close;

  private EngineAssembly(
      Sandboxes sandboxes,
      Snapshots snapshots,
      Templates templates,
      Volumes volumes,
      Storage storage,
      Secrets secrets,
      Doctor doctor,
      Registry metrics,
      Undo close) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
    this.templates = templates;
    this.volumes = volumes;
    this.storage = storage;
    this.secrets = secrets;
    this.doctor = doctor;
    this.metrics = metrics;
    this.close = close;
  }

  /** Opens a data root. */
  public static Engine open(EngineConfig config) {
    Undo close = new Undo();
    try {
      return open(config, close);
    } catch (IOException | LinuxException | RuntimeException e) {
      close.close();
      throw Errors.any("cannot open " + config.dataRoot(), config.dataRoot(), e);
    }
  }

  private static Engine open(EngineConfig config, Undo close) throws IOException, LinuxException {
    Warmup.warm();
    // The machines' processes inherit this. A hypervisor touches single pages scattered over much
    // memory (above all an emulator's translated code): with huge pages each touch would cost 2
    // MiB.
    Host.disableHugePages();
    OwnerOnly.root("data root", config.dataRoot());
    RootLock lock = RootLock.take(config.dataRoot());
    close.add("lock", () -> closeQuietly(lock));

    Plugins plugins = Plugins.load(config.plugins());
    Prober prober = new Prober(PROBE_DEADLINE);
    RootOpener opener = new RootOpener(config, plugins, prober);
    PluginSelection machinery;
    Roots roots;
    List<OpenRoot> places = new ArrayList<>();
    // A probe mostly waits for programs, so the roots are found and opened meanwhile.
    try (PluginSelection.Probing probing = PluginSelection.Probing.begin(config, plugins, prober)) {
      roots = Roots.open(config, opener);
      for (Path root : roots.directories(config)) {
        if (!root.equals(config.dataRoot())) {
          OwnerOnly.root("root", root);
        }
        OpenContents.close(root);
      }
      Directories.make("snapshots", roots.main().layout().snapshots());
      Directories.make("sandboxes", roots.main().layout().sandboxes());
      for (RootOpener.Root root : roots.all()) {
        places.add(new OpenRoot(root, open(config, root, close)));
      }
      machinery = probing.found();
    }
    Layout layout = roots.main().layout();
    StorageBackend disks = places.get(0).storage();
    StorageBackend storage =
        places.size() == 1 ? disks : new SplitStorage(disks, places.get(1).storage());
    Hypervisor hypervisor = machinery.hypervisor();
    close.add("hypervisor", hypervisor::close);
    for (Path root : roots.directories(config)) {
      for (Path remains : ProbeRemains.in(root)) {
        ProbeRemains.clear(remains, hypervisor);
      }
    }
    MemoryModes modes = machinery.modes();
    close.add("memory modes", modes::close);
    StagingPool staging = new StagingPool(config.stagingBytes() * CAPTURES_STAGED_AT_ONCE);
    close.add("staging memory", staging::close);

    EgressFilter egress = egress(config);
    close.add("network filter", egress::close);

    VolumeStore volumes = new VolumeStore(layout);
    close.add("volumes", volumes::close);
    VolumeLinks links = new VolumeLinks(volumes);
    close.add("connections of volumes", links::close);

    Context context =
        new Context(
            config,
            layout,
            storage,
            hypervisor,
            modes,
            new PageWriter(staging, config.stagingBytes()),
            new Agent(),
            requests(config),
            egress,
            new SnapshotStore(layout, config.steps()),
            new SandboxStore(layout),
            new PendingSnapshots(),
            volumes,
            links,
            new Registry());
    Doctor doctor =
        machinery.doctor(
            roots,
            egress,
            new OpenAgents(context.sandboxes(), context.snapshots(), machinery.handsSecrets()),
            () -> probes(opener, roots));
    return assemble(context, places, doctor, machinery, close);
  }

  private static GuestRequests requests(EngineConfig config) {
    SecretFile secrets = new SecretFile(config.dataRoot());
    return new GuestRequests(
        secrets,
        secrets::value,
        new GuestAuthority(config.dataRoot()),
        new UpstreamTls(config.outbound().authorities()));
  }

  private static EgressFilter egress(EngineConfig config) throws IOException {
    String root = config.dataRoot().toRealPath().toString();
    List<Cidr> never = new ArrayList<>();
    for (String network : config.outbound().never()) {
      try {
        never.add(Cidr.parse(network));
      } catch (IllegalArgumentException e) {
        throw RametException.invalid("ramet.outbound-never", String.valueOf(e.getMessage()));
      }
    }
    // The prefix is the same at the next start of this root, and differs from those of other roots.
    return new EgressFilter(String.format("ramet-%08x-", root.hashCode()), never);
  }

  private static StorageBackend open(EngineConfig config, RootOpener.Root root, Undo close) {
    String id = root.provider().id();
    StorageBackend opened =
        root.provider()
            .open(
                new ProbeContext(
                    root.layout().root(), config.pluginSettings().getOrDefault(id, Map.of())));
    close.add(root.role().label(), opened::close);
    return opened;
  }

  private static List<Probed> probes(RootOpener opener, Roots roots) {
    return roots.all().stream()
        .flatMap(root -> opener.probe(root.role(), root.layout().root()).stream())
        .toList();
  }

  private static Engine assemble(
      Context context, List<OpenRoot> places, Doctor doctor, PluginSelection machinery, Undo close)
      throws IOException {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(daemon("ends"));
    ExecutorService workers = Executors.newCachedThreadPool(daemon("worker"));
    close.add("timers", () -> stop(timer, workers));
    SnapshotReclaimer reclaimer = new SnapshotReclaimer(context.holdings());
    WorkingSetPrefetcher workingSets = new WorkingSetPrefetcher(context, reclaimer, timer);
    close.add("working sets", workingSets::close);
    VolumeOperations volumes = new VolumeOperations(context);
    EgressEnforcer confinement = new EgressEnforcer(context);
    AgentSetup agents = new AgentSetup(context);
    MachineStarter starter =
        new MachineStarter(context, workingSets, confinement, agents, machinery.handsSecrets());
    CopyPreparer ahead = new CopyPreparer(context.storage(), context.metrics());
    close.add("copies made ahead", ahead::close);
    Capturer capturer = new Capturer(context, reclaimer, ahead);
    Views views = new Views(context, reclaimer);
    views.count(context.metrics());
    SandboxExpiry ends = new SandboxExpiry(context, timer, workers);
    SandboxLifecycle lifecycle = new SandboxLifecycle(context, starter, reclaimer, ends);
    close.add("watching of machines", lifecycle::close);
    close.add("memory trackers", () -> closeTrackers(context));
    PauseService suspension = new PauseService(context, starter, capturer, lifecycle, reclaimer);
    ends.by(lifecycle::kill, suspension::pause);
    LogLimits logs = new LogLimits(context);
    var looks =
        timer.scheduleWithFixedDelay(
            () -> workers.execute(logs::apply), LOG_SECONDS, LOG_SECONDS, TimeUnit.SECONDS);
    close.add("limits of logs", () -> looks.cancel(false));
    new StartupRecovery(context, starter, lifecycle, reclaimer).run();
    volumes.clear();
    return new EngineAssembly(
        new SandboxOperations(
            context,
            lifecycle,
            ends,
            new NetworkChange(context, confinement, agents),
            new Rollback(context, starter, lifecycle, reclaimer, views),
            new Cloner(context, capturer, lifecycle, reclaimer, views),
            suspension,
            reclaimer,
            volumes,
            views),
        new SnapshotOperations(context, capturer, reclaimer, views, workers),
        new TemplateOperations(
            context,
            new ImageTemplateBuilder(context, capturer, lifecycle, reclaimer),
            new StepTemplateBuilder(context, capturer, lifecycle, reclaimer),
            reclaimer,
            views,
            machinery.hypervisorKey()),
        volumes,
        new StorageOperations(
            context,
            places,
            reclaimer,
            new Importer(
                context,
                machinery.hypervisorIds(),
                new BaseFinder(context, reclaimer),
                new ImageAssembler(context, places))),
        context.requests().secrets(),
        doctor,
        context.metrics(),
        close);
  }

  private static java.util.concurrent.ThreadFactory daemon(String name) {
    return work -> {
      Thread thread = new Thread(work, "ramet-" + name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Closes all trackers, so that the machines' processes are left as they were found. */
  private static void closeTrackers(Context context) {
    for (LiveSandbox live : context.sandboxes().all()) {
      try (LiveSandbox.Hold hold = live.hold("close", CLOSE_PATIENCE)) {
        live.tracking().close();
      } catch (RametException e) {
        // The tracker's kernel objects are released with this process; the capture under way still
        // needs them.
        LOG.log(System.Logger.Level.WARNING, "memory of {0} stays tracked", live.id());
      }
    }
  }

  private static void stop(ScheduledExecutorService timer, ExecutorService workers) {
    timer.shutdownNow();
    workers.shutdown();
    try {
      if (!workers.awaitTermination(10, TimeUnit.SECONDS)) {
        LOG.log(System.Logger.Level.WARNING, "a sandbox was still being ended");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeQuietly(RootLock lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new RametException(dev.ramet.errors.ErrorCode.HOST_UNFIT, "cannot unlock", e);
    }
  }

  @Override
  public Sandboxes sandboxes() {
    return sandboxes;
  }

  @Override
  public Snapshots snapshots() {
    return snapshots;
  }

  @Override
  public Templates templates() {
    return templates;
  }

  @Override
  public Volumes volumes() {
    return volumes;
  }

  @Override
  public Storage storage() {
    return storage;
  }

  @Override
  public Secrets secrets() {
    return secrets;
  }

  @Override
  public List<Metric> metrics() {
    return metrics.read();
  }

  @Override
  public Doctor doctor() {
    return doctor;
  }

  @Override
  public void close() {
    close.close();
  }
}
