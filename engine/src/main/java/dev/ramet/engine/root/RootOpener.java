// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.state.Layout;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.DiskFullErrors;
import dev.ramet.linux.file.FullFileSystem;
import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.ProbedProvider;
import dev.ramet.pluginhost.Prober;
import dev.ramet.pluginhost.Ranking;
import dev.ramet.pluginhost.Selection;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds or creates a root and selects its storage backend. For a root that has a record the backend
 * is never selected again. This class writes no record itself.
 */
public final class RootOpener {
  private static final System.Logger LOG = System.getLogger(RootOpener.class.getName());

  /** Whether the engine may create a pool. */
  public static final Setting<Provision> PROVISION =
      Setting.constant(
          "ramet.storage-provision",
          Provision.AUTO,
          "AUTO: if the host runs as root and the data root's file system cannot share blocks,"
              + " make an XFS pool inside the data root and mount it. OFF: never make a pool;"
              + " such a data root then copies bytes.");

  private final EngineConfig config;
  private final Plugins plugins;
  private final Prober prober;
  private final List<StorageProvisioner> provisioners;
  private final StoragePools pools;

  public RootOpener(EngineConfig config, Plugins plugins, Prober prober) {
    this.config = config;
    this.plugins = plugins;
    this.prober = prober;
    this.provisioners = plugins.provisioners();
    this.pools = new StoragePools(provisioners);
  }

  /** Whether a copy-on-write pool may be created. */
  public enum Provision {
    /** If the host runs as root and the data root's file system cannot share blocks. */
    AUTO,
    /** Never. */
    OFF
  }

  /**
   * The requirements for a root.
   *
   * @param role the purpose of the root
   * @param directory an existing directory: the root, or the place for its pool
   * @param backend the only storage backend allowed for a new root, or null to choose
   * @param poolBytes size of a pool that has to be created, or null for the default
   * @param made whether the root was created before: if it has no record now, it is not new but
   *     lost, such as a mount point without its file system
   */
  record Request(
      PluginKind role,
      Path directory,
      @Nullable String backend,
      @Nullable Long poolBytes,
      boolean made) {}

  /**
   * A root that is ready to be opened.
   *
   * @param role the purpose of the root
   * @param layout the paths below the root
   * @param record its record, or null for a new root
   * @param provider the storage backend for it
   * @param probed the probe results of all backends there
   * @param selection the selected backend and the reason
   * @param advice what would improve the storage, or null
   */
  public record Root(
      PluginKind role,
      Layout layout,
      @Nullable RootRecord record,
      StorageBackendProvider provider,
      List<ProbedProvider> probed,
      Selection selection,
      @Nullable String advice) {
    /**
     * Returns whether a fork shares unchanged blocks. False also when it is unknown, for a root
     * that was full when it was opened.
     */
    public boolean copyOnWrite() {
      return probed.stream()
          .filter(one -> one.provider().id().equals(provider.id()))
          .anyMatch(RootOpener::copyOnWrite);
    }
  }

  /** Finds or creates a root. */
  Root open(Request wish) {
    Path directory = wish.directory();
    Path pool = pools.findPool(directory);
    if (pool != null) {
      return selectPlugin(wish, pool, null);
    }
    if (Files.exists(new Layout(directory).rootRecord()) || wish.backend() != null) {
      return selectPlugin(wish, directory, null);
    }
    MissingRecordCheck.refuseIfLost(directory);
    List<ProbedProvider> probed = probe(wish.role(), directory);
    if (Ranking.best(probed).filter(RootOpener::copyOnWrite).isPresent() || isPreferred(probed)) {
      return selectPlugin(wish, directory, null);
    }
    List<String> advice = new ArrayList<>();
    for (StorageProvisioner provisioner : provisioners) {
      ProvisioningStatus status = provisioner.status(directory);
      if (status.state() != ProvisioningStatus.State.POSSIBLE) {
        advice.add(status.remedy() == null ? status.detail() : status.remedy());
      } else if (config.settings().get(PROVISION) == Provision.OFF) {
        advice.add(
            "set ramet.storage-provision to AUTO, so that the host makes a copy-on-write pool");
      } else {
        try {
          return selectPlugin(wish, provisioner.provision(directory, wish.poolBytes()), null);
        } catch (RametException e) {
          LOG.log(System.Logger.Level.WARNING, "no copy-on-write pool: " + e.getMessage(), e);
          String remedy = e.remedy();
          advice.add(remedy == null ? String.valueOf(e.getMessage()) : remedy);
        }
      }
    }
    return selectPlugin(wish, directory, advice.isEmpty() ? null : String.join("; ", advice));
  }

  /**
   * Returns whether the operator prefers a backend that works without a pool to all those that work
   * in one. A pool made for another backend could be the very place where this one does not work.
   */
  private boolean isPreferred(List<ProbedProvider> probed) {
    Set<String> pooled =
        provisioners.stream().map(StorageProvisioner::backendId).collect(Collectors.toSet());
    for (String id : plugins.ranking().preferred()) {
      if (pooled.contains(id)) {
        return false;
      }
      if (probed.stream().anyMatch(one -> one.usable() && one.provider().id().equals(id))) {
        return true;
      }
    }
    return false;
  }

  /** Probes every storage backend at a root; returns the best first. */
  public List<ProbedProvider> probe(PluginKind role, Path root) {
    return plugins
        .ranking()
        .ranked(
            prober.probe(
                role,
                plugins.providers(PluginKind.STORAGE),
                id -> new ProbeContext(root, config.plugin(id))));
  }

  private static boolean copyOnWrite(ProbedProvider probed) {
    return probed.usableFacts(StorageFacts.class).filter(StorageFacts::copyOnWrite).isPresent();
  }

  /** Returns the error for a root that was created earlier but does not exist now. */
  public static RametException rootMissing(Path root) {
    return new RametException(
        ErrorCode.HOST_UNFIT,
        "there is no data root in " + root + " any more",
        "mount the file system it is on",
        null);
  }

  private Root selectPlugin(Request wish, Path root, @Nullable String advice) {
    Layout layout = new Layout(root);
    if (wish.made() && !Files.exists(layout.rootRecord())) {
      throw rootMissing(root);
    }
    if (!Files.exists(layout.rootRecord())) {
      MissingRecordCheck.refuseIfLost(wish.directory());
      MissingRecordCheck.refuseIfLost(root);
    }
    List<ProbedProvider> probed = probe(wish.role(), root);
    String wanted = wish.backend();
    if (Files.exists(layout.rootRecord())) {
      RootRecord record = RecordedBackend.read(layout);
      if (wanted != null && !wanted.equals(record.storageBackend())) {
        throw new RametException(
            ErrorCode.CONFLICT,
            root
                + " was made with the storage backend "
                + record.storageBackend()
                + " and cannot be opened with "
                + wanted,
            "remove the storage backend from the configuration, or use another root",
            null);
      }
      return createRoot(
          wish.role(),
          layout,
          record,
          probed,
          record.storageBackend(),
          "recorded in the root",
          advice);
    }
    if (wanted != null) {
      return createRoot(
          wish.role(), layout, null, probed, wanted, "set in the configuration", advice);
    }
    ProbedProvider best =
        Ranking.best(probed)
            .orElseThrow(
                () ->
                    new RametException(
                        ErrorCode.HOST_UNFIT,
                        "no storage backend works at "
                            + root
                            + ": "
                            + Ranking.explain(wish.role(), "", probed, null, null).reason(),
                        remedies(probed),
                        null));
    return createRoot(wish.role(), layout, null, probed, best.provider().id(), null, advice);
  }

  private static String remedies(List<ProbedProvider> probed) {
    String any =
        probed.stream()
            .map(ProbedProvider::remedy)
            .filter(remedy -> !remedy.isEmpty())
            .distinct()
            .collect(Collectors.joining("; or "));
    return any.isEmpty() ? "look for the cause in the host's log" : any;
  }

  private Root createRoot(
      PluginKind role,
      Layout layout,
      @Nullable RootRecord record,
      List<ProbedProvider> probed,
      String id,
      @Nullable String why,
      @Nullable String advice) {
    StorageBackendProvider provider = RecordedBackend.provider(plugins, id, layout);
    for (ProbedProvider candidate : probed) {
      if (candidate.provider() != provider || candidate.usable()) {
        continue;
      }
      if (record == null || !candidate.noRoom()) {
        throw new RametException(
            ErrorCode.HOST_UNFIT,
            "storage backend "
                + id
                + " does not work at "
                + layout.root()
                + ": "
                + candidate.reason(),
            candidate.remedy(),
            null);
      }
      // Only a host can delete the data that fills the file system.
      FullFileSystem full = FullFileSystem.findAt(layout.root());
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} could not be probed at {1}, which is opened anyway: no space left on {2}; {3}",
          id,
          layout.root(),
          full.describe(),
          DiskFullErrors.remedy(full.isContaining()));
    }
    return new Root(
        role,
        layout,
        record,
        provider,
        probed,
        Ranking.explain(role, layout.root().toString(), probed, id, why),
        advice);
  }
}
