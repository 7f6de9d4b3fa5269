// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.check;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OfflineStorage;
import dev.ramet.engine.Storage;
import dev.ramet.engine.root.DataRoots;
import dev.ramet.engine.root.MissingRecordCheck;
import dev.ramet.engine.root.OpenRoot;
import dev.ramet.engine.root.RootFinder;
import dev.ramet.engine.root.RootLock;
import dev.ramet.engine.root.RootOpener;
import dev.ramet.engine.root.RootRecord;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.selection.UnavailableHypervisor;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.root.RootExamination;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Opens the roots of a data root for inspection while no engine uses them. */
public final class OfflineRoots implements OfflineStorage {
  private final RootChecks looks;
  private final List<Path> mounted;
  private final Undo close;

  private OfflineRoots(RootChecks looks, List<Path> mounted, Undo close) {
    this.looks = looks;
    this.mounted = List.copyOf(mounted);
    this.close = close;
  }

  /** Opens a data root. */
  public static OfflineStorage open(EngineConfig config, Plugins plugins) {
    Undo close = new Undo();
    try {
      return open(config, plugins, close);
    } catch (IOException | RuntimeException e) {
      close.close();
      throw Errors.translate("cannot look at " + config.dataRoot(), config.dataRoot(), e);
    }
  }

  private static OfflineStorage open(EngineConfig config, Plugins plugins, Undo close)
      throws IOException {
    Path dataRoot = config.dataRoot();
    requireReadable(dataRoot);
    RootFinder finder = new RootFinder(plugins);
    if (!finder.isRoot(dataRoot)) {
      MissingRecordCheck.refuseIfLost(dataRoot);
      throw new RametException(
          ErrorCode.NOT_FOUND,
          dataRoot + " is not a data root of Ramet: it has neither root.json nor a pool",
          "name the data root with --data-root, or with ramet.data-root in the host's settings",
          null);
    }
    RootLock lock = RootLock.acquireForInspection(dataRoot);
    close.add("lock", () -> closeQuietly(lock));

    List<OpenRoot> places = new ArrayList<>();
    RootOpener.Root main = finder.find(PluginKind.STORAGE, dataRoot);
    places.add(new OpenRoot(main, examine(config, main, close)));
    RootOpener.Root memory = memory(finder, main);
    if (memory != null) {
      places.add(new OpenRoot(memory, examine(config, memory, close)));
    }
    StorageBackend disks = places.get(0).storage();
    Layout layout = main.layout();
    RootContents holdings =
        new RootContents(
            dataRoot,
            layout,
            places.size() == 1 ? disks : new SplitStorage(disks, places.get(1).storage()),
            new RootContents.Records(
                new SnapshotStore(layout, config.steps()),
                new SandboxStore(layout),
                new PendingSnapshots()),
            new UnavailableHypervisor(
                "no host runs on this data root", "start a host: ramet serve"),
            config.steps(),
            true);
    holdings.snapshots().loadReadOnly();
    holdings.sandboxes().loadReadOnly();
    RootChecks looks = new RootChecks(holdings, places, new SnapshotReclaimer(holdings));
    return new OfflineRoots(looks, finder.mounted(), close);
  }

  private static void requireReadable(Path dataRoot) {
    if (!Files.exists(dataRoot)) {
      throw RametException.notFound("data root", dataRoot.toString());
    }
    if (!Files.isReadable(dataRoot) || !Files.isExecutable(dataRoot)) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "this user may not read " + dataRoot,
          "run it as the host's user",
          null);
    }
  }

  /** Returns the root of the memory images, or null if they are in the main root. */
  private static RootOpener.@Nullable Root memory(RootFinder finder, RootOpener.Root main) {
    RootRecord record = main.record();
    if (record != null && record.memoryOf() != null) {
      throw DataRoots.memoryOnly(main);
    }
    RootRecord.MemoryArea area = record == null ? null : record.memory();
    if (record == null || area == null) {
      return null;
    }
    Path path = Path.of(area.path());
    if (!Files.isDirectory(path) || !finder.isRoot(path)) {
      throw RootOpener.rootMissing(path);
    }
    RootOpener.Root memory = finder.find(PluginKind.MEMORY_STORAGE, path);
    RootRecord other = memory.record();
    if (other == null || record.id() == null || !record.id().equals(other.memoryOf())) {
      throw DataRoots.rootTaken(memory);
    }
    return memory;
  }

  private static StorageBackend examine(EngineConfig config, RootOpener.Root root, Undo close) {
    String id = root.provider().id();
    if (!(root.provider() instanceof RootExamination examination)) {
      throw new IllegalStateException(id + " is not guarded");
    }
    StorageBackend opened =
        examination.examine(new ProbeContext(root.layout().root(), config.plugin(id)));
    close.add(root.role().label(), opened::close);
    return opened;
  }

  private static void closeQuietly(RootLock lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot unlock", e);
    }
  }

  @Override
  public Storage.Report check(boolean repair) {
    return looks.check(repair ? FindingCollector.Mode.REPAIR : FindingCollector.Mode.LOOK);
  }

  @Override
  public List<Storage.RootUsage> usage(Consumer<Storage.NodeUsage> nodes) {
    return looks.usage(nodes);
  }

  @Override
  public List<Path> mountedPools() {
    return mounted;
  }

  @Override
  public void close() {
    close.close();
  }
}
