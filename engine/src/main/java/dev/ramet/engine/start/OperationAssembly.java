// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OutboundSettings;
import dev.ramet.engine.Storage;
import dev.ramet.engine.capture.ChangeDetector;
import dev.ramet.engine.capture.SandboxCapturer;
import dev.ramet.engine.check.RootChecks;
import dev.ramet.engine.check.StorageOperations;
import dev.ramet.engine.exchange.BaseFinder;
import dev.ramet.engine.exchange.Exporter;
import dev.ramet.engine.exchange.ImageAssembler;
import dev.ramet.engine.exchange.Importer;
import dev.ramet.engine.sandbox.CloneBases;
import dev.ramet.engine.sandbox.CloneStarter;
import dev.ramet.engine.sandbox.Cloner;
import dev.ramet.engine.sandbox.GuestAccess;
import dev.ramet.engine.sandbox.LabelService;
import dev.ramet.engine.sandbox.NetworkChange;
import dev.ramet.engine.sandbox.OldMachines;
import dev.ramet.engine.sandbox.RecordViews;
import dev.ramet.engine.sandbox.RestartService;
import dev.ramet.engine.sandbox.ResumeService;
import dev.ramet.engine.sandbox.RollbackService;
import dev.ramet.engine.sandbox.SandboxChanges;
import dev.ramet.engine.sandbox.SandboxCreator;
import dev.ramet.engine.sandbox.SandboxLifecycle;
import dev.ramet.engine.sandbox.SandboxOperations;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshot.BackgroundCapture;
import dev.ramet.engine.snapshot.SnapshotComparer;
import dev.ramet.engine.snapshot.SnapshotCreator;
import dev.ramet.engine.snapshot.SnapshotOperations;
import dev.ramet.engine.snapshots.Snapshots;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.TemplateVersions;
import dev.ramet.engine.template.ImagePublisher;
import dev.ramet.engine.template.ImageTemplateBuilder;
import dev.ramet.engine.template.RecipeTemplateBuilder;
import dev.ramet.engine.template.StepTemplateBuilder;
import dev.ramet.engine.template.TemplateOperations;
import dev.ramet.engine.template.VersionLocks;
import dev.ramet.engine.templates.Templates;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.engine.volume.VolumeOperations;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Connects the parts of an engine to the operations that it offers. */
final class OperationAssembly {
  private final EngineConfig config;
  private final OpenedRoots opened;
  private final RootContents root;
  private final SnapshotReclaimer reclaimer;
  private final MachineParts machines;
  private final CaptureParts captures;
  private final LifecycleParts lives;
  private final RecordViews views;

  OperationAssembly(
      EngineConfig config,
      OpenedRoots opened,
      RootContents root,
      SnapshotReclaimer reclaimer,
      MachineParts machines,
      CaptureParts captures,
      LifecycleParts lives) {
    this.config = config;
    this.opened = opened;
    this.root = root;
    this.reclaimer = reclaimer;
    this.machines = machines;
    this.captures = captures;
    this.lives = lives;
    this.views = new RecordViews(root.layout(), root.storage(), reclaimer);
  }

  Sandboxes sandboxes(GuestNetwork network, VolumeOperations volumes) {
    SandboxLifecycle lifecycle = lives.lifecycle();
    MemoryModes modes = opened.modes();
    return new SandboxOperations(
        root.sandboxes(),
        new SandboxCreator(
            lifecycle,
            reclaimer,
            volumes,
            modes,
            network.requests(),
            network.egress(),
            config.settings().get(OutboundSettings.BY_DEFAULT)),
        new Cloner(
            root.sandboxes(),
            new CloneBases(
                root.sandboxes(),
                root.snapshots(),
                captures.capturer(),
                captures.paused(),
                reclaimer),
            new CloneStarter(lifecycle, config.settings(), root.layout().root()),
            lifecycle,
            modes,
            views,
            config.steps()),
        lifecycle,
        changes(network),
        new GuestAccess(machines.agent(), root.layout()),
        views,
        captures.space());
  }

  private SandboxChanges changes(GuestNetwork network) {
    OldMachines oldMachines =
        new OldMachines(
            root.layout(), root.hypervisor(), machines.starter(), reclaimer, config.steps());
    return new SandboxChanges(
        lives.expiry(),
        new NetworkChange(
            root.sandboxes(),
            network.requests(),
            network.egress(),
            machines.confinement(),
            machines.agents(),
            config.steps()),
        lives.pauses(),
        new ResumeService(
            root.sandboxes(),
            root.snapshots(),
            machines.starter(),
            lives.lifecycle(),
            reclaimer,
            config.steps()),
        new RollbackService(
            root.sandboxes(),
            oldMachines,
            machines.starter(),
            lives.lifecycle(),
            reclaimer,
            views,
            config.steps()),
        new RestartService(
            root.sandboxes(),
            root.snapshots(),
            machines.agent(),
            captures.disks(),
            new RestartService.Replacement(machines.starter(), oldMachines, captures.space()),
            lives.lifecycle(),
            reclaimer,
            config.steps()),
        new LabelService(root.sandboxes(), config.steps()));
  }

  /**
   * Returns the operations on snapshots.
   *
   * @param workers finish captures that a caller does not wait for
   */
  Snapshots snapshots(Executor workers) {
    SandboxCapturer capturer =
        new SandboxCapturer(
            captures.capturer(),
            captures.paused(),
            captures.disks(),
            machines.agent(),
            captures.replacement());
    BackgroundCapture background =
        new BackgroundCapture(
            root.sandboxes(), root.snapshots(), root.writings(), captures.capturer(), workers);
    return new SnapshotOperations(
        root.sandboxes(),
        root.snapshots(),
        root.writings(),
        new SnapshotCreator(
            root.sandboxes(),
            root.snapshots(),
            capturer,
            background,
            captures.replacement(),
            views,
            captures.space()),
        new ChangeDetector(root.storage(), reclaimer, captures.paused()),
        new SnapshotComparer(root.storage(), reclaimer),
        reclaimer,
        views);
  }

  Templates templates() {
    boolean outbound = config.settings().get(OutboundSettings.BY_DEFAULT);
    VersionLocks locks = new VersionLocks(root.snapshots());
    TemplateVersions versions = new TemplateVersions(root.snapshots(), reclaimer);
    ImageTemplateBuilder images =
        new ImageTemplateBuilder(
            new ImagePublisher(captures.target()),
            lives.lifecycle(),
            machines.readiness(),
            captures.capturer(),
            reclaimer,
            outbound,
            root.layout().root());
    RecipeTemplateBuilder recipes =
        new RecipeTemplateBuilder(
            config, root.layout(), locks, images, versions, opened.plugins().hypervisorKey());
    StepTemplateBuilder derivations =
        new StepTemplateBuilder(
            lives.lifecycle(),
            machines.readiness(),
            captures.capturer(),
            reclaimer,
            outbound,
            config.steps());
    return new TemplateOperations(
        root.snapshots(), locks, recipes, images, derivations, versions, views, captures.space());
  }

  Storage storage() {
    Path directory = root.layout().root();
    return new StorageOperations(
        new RootChecks(root, opened.places(), reclaimer),
        new Exporter(
            root.dataRoot(),
            root.layout(),
            root.storage(),
            opened.places(),
            reclaimer,
            config.steps()),
        new Importer(
            captures.target(),
            opened.plugins().hypervisorIds(),
            new BaseFinder(root.snapshots(), root.storage(), directory, reclaimer),
            new ImageAssembler(root.storage(), directory, opened.places(), config.steps())),
        captures.space());
  }
}
