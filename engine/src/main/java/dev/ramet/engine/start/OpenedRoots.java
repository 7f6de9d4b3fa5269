// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OwnerOnlyFiles;
import dev.ramet.engine.root.ContentPermissions;
import dev.ramet.engine.root.DataRoots;
import dev.ramet.engine.root.OpenRoot;
import dev.ramet.engine.root.PoolUnmount;
import dev.ramet.engine.root.RootLock;
import dev.ramet.engine.root.RootOpener;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.selection.PluginSelection;
import dev.ramet.engine.selection.ProbeLeftovers;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.Directories;
import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.ProbedProvider;
import dev.ramet.pluginhost.Prober;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The locked and opened roots of an engine, and the plugins selected for them.
 *
 * @param roots the data root, and the one of its memory images if that is separate
 * @param places the same with their opened storage backends
 * @param storage the storage of all images
 * @param plugins which hypervisor and memory modes are selected, and why
 * @param hypervisor the selected hypervisor, opened
 * @param modes the memory modes that work here, opened
 * @param opener probes storage again for the doctor
 */
record OpenedRoots(
    DataRoots roots,
    List<OpenRoot> places,
    StorageBackend storage,
    PluginSelection plugins,
    Hypervisor hypervisor,
    MemoryModes modes,
    RootOpener opener) {
  private static final Duration PROBE_DEADLINE = Duration.ofSeconds(30);

  /**
   * Opens the roots and selects plugins.
   *
   * @param plugins the plugins to select from
   * @param networks the kinds of networks that this host gives machines
   * @param close gets what must be closed, also when this fails in the middle
   */
  static OpenedRoots open(
      EngineConfig config, Plugins plugins, Set<NetworkPlan.Kind> networks, Undo close)
      throws IOException {
    OwnerOnlyFiles.secureRoot("data root", config.dataRoot());
    RootLock lock = RootLock.acquire(config.dataRoot());
    close.add("lock", () -> closeQuietly(lock));
    // Closed after everything that has files open in a pool, and before another host may come.
    close.add("pools", () -> PoolUnmount.tryAll(plugins.provisioners(), directories(config)));

    Prober prober = new Prober(PROBE_DEADLINE);
    RootOpener opener = new RootOpener(config, plugins, prober);
    PluginSelection machinery;
    DataRoots roots;
    List<OpenRoot> places = new ArrayList<>();
    // A probe mostly waits for programs, so the roots are found and opened meanwhile.
    try (PluginSelection.PendingProbes probing =
        PluginSelection.PendingProbes.start(config, plugins, prober, networks)) {
      roots = DataRoots.open(config, opener);
      for (Path root : roots.directories(config)) {
        if (!root.equals(config.dataRoot())) {
          OwnerOnlyFiles.secureRoot("root", root);
        }
        ContentPermissions.restrict(root);
      }
      Directories.make("snapshots", roots.main().layout().snapshots());
      Directories.make("sandboxes", roots.main().layout().sandboxes());
      for (RootOpener.Root root : roots.list()) {
        places.add(new OpenRoot(root, open(config, root, close)));
      }
      machinery = probing.await().fitting(roots);
    }
    Hypervisor hypervisor = machinery.openHypervisor();
    close.add("hypervisor", hypervisor::close);
    for (Path root : roots.directories(config)) {
      for (Path remains : ProbeLeftovers.findIn(root)) {
        ProbeLeftovers.remove(remains, hypervisor);
      }
    }
    MemoryModes modes = machinery.openModes();
    close.add("memory modes", modes::close);
    StorageBackend disks = places.get(0).storage();
    return new OpenedRoots(
        roots,
        List.copyOf(places),
        places.size() == 1 ? disks : new SplitStorage(disks, places.get(1).storage()),
        machinery,
        hypervisor,
        modes,
        opener);
  }

  /** Returns the directories in which pools may be. */
  private static List<Path> directories(EngineConfig config) {
    List<Path> directories = new ArrayList<>(List.of(config.dataRoot()));
    config.settings().find(DataRoots.MEMORY_ROOT).ifPresent(directories::add);
    return directories;
  }

  private static StorageBackend open(EngineConfig config, RootOpener.Root root, Undo close) {
    String id = root.provider().id();
    StorageBackend opened =
        root.provider().open(new ProbeContext(root.layout().root(), config.plugin(id)));
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

  /** Returns the paths below the data root. */
  Layout layout() {
    return roots.main().layout();
  }

  /** Probes the storage backends on the roots. */
  List<ProbedProvider> probes() {
    return roots.list().stream()
        .flatMap(root -> opener.probe(root.role(), root.layout().root()).stream())
        .toList();
  }
}
