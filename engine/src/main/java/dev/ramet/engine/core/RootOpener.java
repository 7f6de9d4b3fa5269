// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.Doctor;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.plugin.Plugins;
import dev.ramet.engine.plugin.Probed;
import dev.ramet.engine.plugin.Prober;
import dev.ramet.engine.plugin.Ranking;
import dev.ramet.engine.plugin.Role;
import dev.ramet.engine.store.Json;
import dev.ramet.engine.store.Layout;
import dev.ramet.engine.store.RootRecord;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.Provider;
import dev.ramet.spi.storage.ProvisioningStatus;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageCapabilities;
import dev.ramet.spi.storage.StorageProvisioner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds or makes the root of an engine and chooses the storage backend for it. What was chosen is
 * recorded in the root; a root that has a record is never chosen for again.
 */
final class RootOpener {
  private static final System.Logger LOG = System.getLogger(RootOpener.class.getName());

  private final EngineConfig config;
  private final Plugins plugins;
  private final Prober prober;
  private final List<StorageProvisioner> provisioners;

  RootOpener(
      EngineConfig config, Plugins plugins, Prober prober, List<StorageProvisioner> provisioners) {
    this.config = config;
    this.plugins = plugins;
    this.prober = prober;
    this.provisioners = List.copyOf(provisioners);
  }

  /**
   * A root that is ready to be opened.
   *
   * @param layout where it is
   * @param provider the storage backend for it
   * @param probed what all backends' probes found there
   * @param selection the choice, explained
   * @param advice what would make storage better, or null
   */
  record Root(
      Layout layout,
      StorageBackendProvider provider,
      List<Probed> probed,
      Doctor.Selection selection,
      @Nullable String advice) {}

  /** Finds or makes the root. */
  Root open() throws IOException {
    Path dataRoot = config.dataRoot();
    for (StorageProvisioner provisioner : provisioners) {
      switch (provisioner.status(dataRoot).state()) {
        case STOPPED, ACTIVE -> {
          Path pool = provisioner.provision(dataRoot, null);
          return choose(pool, null);
        }
        case UNNEEDED, POSSIBLE, IMPOSSIBLE -> {}
      }
    }
    if (Files.exists(new Layout(dataRoot).rootRecord()) || config.storageBackend() != null) {
      return choose(dataRoot, null);
    }
    List<Probed> probed = probe(dataRoot);
    if (Ranking.best(probed).filter(RootOpener::copyOnWrite).isPresent()) {
      return choose(dataRoot, null);
    }
    List<String> advice = new ArrayList<>();
    for (StorageProvisioner provisioner : provisioners) {
      ProvisioningStatus status = provisioner.status(dataRoot);
      if (status.state() != ProvisioningStatus.State.POSSIBLE) {
        advice.add(status.remedy() == null ? status.detail() : status.remedy());
      } else if (config.provision() == EngineConfig.Provision.OFF) {
        advice.add("set storage.provision to auto, so that a copy-on-write pool is made");
      } else {
        try {
          return choose(provisioner.provision(dataRoot, config.provisionBytes()), null);
        } catch (RametException e) {
          LOG.log(System.Logger.Level.WARNING, "no copy-on-write pool: " + e.getMessage(), e);
          String remedy = e.remedy();
          advice.add(remedy == null ? String.valueOf(e.getMessage()) : remedy);
        }
      }
    }
    return choose(dataRoot, advice.isEmpty() ? null : String.join("; ", advice));
  }

  /** Probes every storage backend at a root. */
  List<Probed> probe(Path root) {
    return prober.probe(
        Role.STORAGE,
        plugins.of(Role.STORAGE),
        id -> new ProbeContext(root, config.pluginSettings().getOrDefault(id, Map.of())));
  }

  private static boolean copyOnWrite(Probed probed) {
    return probed.result() instanceof ProbeResult.Usable usable
        && usable.capabilities().contains(StorageCapabilities.COPY_ON_WRITE);
  }

  private Root choose(Path root, @Nullable String advice) throws IOException {
    Layout layout = new Layout(root);
    List<Probed> probed = probe(root);
    String wanted = config.storageBackend();
    if (Files.exists(layout.rootRecord())) {
      RootRecord record = Json.read(layout.rootRecord(), RootRecord.class);
      if (record.format() != RootRecord.FORMAT) {
        throw new RametException(
            ErrorCode.CORRUPT,
            root + " has layout " + record.format() + ", this version knows " + RootRecord.FORMAT);
      }
      if (wanted != null && !wanted.equals(record.storageBackend())) {
        throw new RametException(
            ErrorCode.CONFLICT,
            root
                + " was made with the storage backend "
                + record.storageBackend()
                + " and cannot be opened with "
                + wanted,
            "remove the storage backend from the configuration, or use another data root",
            null);
      }
      return root(layout, probed, record.storageBackend(), "recorded in the root", advice);
    }
    if (wanted != null) {
      return root(layout, probed, wanted, "set in the configuration", advice);
    }
    Probed best =
        Ranking.best(probed)
            .orElseThrow(
                () ->
                    new RametException(
                        ErrorCode.HOST_UNFIT,
                        "no storage backend works at "
                            + root
                            + ": "
                            + Ranking.explain(Role.STORAGE, "", probed, null, null).reason()));
    return root(layout, probed, best.provider().id(), null, advice);
  }

  private Root root(
      Layout layout, List<Probed> probed, String id, @Nullable String why, @Nullable String advice)
      throws IOException {
    Provider<?> provider =
        plugins.of(Role.STORAGE).stream()
            .filter(candidate -> candidate.id().equals(id))
            .findFirst()
            .orElseThrow(
                () ->
                    new RametException(
                        ErrorCode.HOST_UNFIT,
                        "there is no storage backend "
                            + id
                            + ", which "
                            + layout.root()
                            + " needs"));
    for (Probed candidate : probed) {
      if (candidate.provider() == provider && !candidate.usable()) {
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
    }
    if (!Files.exists(layout.rootRecord())) {
      Json.write(layout.rootRecord(), new RootRecord(RootRecord.FORMAT, id), true);
    }
    return new Root(
        layout,
        (StorageBackendProvider) provider,
        probed,
        Ranking.explain(Role.STORAGE, layout.root().toString(), probed, id, why),
        advice);
  }
}
