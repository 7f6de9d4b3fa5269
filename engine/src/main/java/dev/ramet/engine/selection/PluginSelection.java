// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import dev.ramet.egress.filter.EgressFilter;
import dev.ramet.engine.Doctor;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.root.DataRoots;
import dev.ramet.engine.root.RootOpener;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.ProbedProvider;
import dev.ramet.pluginhost.Prober;
import dev.ramet.pluginhost.Ranking;
import dev.ramet.pluginhost.Selection;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.settings.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Probes, selects and opens the hypervisor and the memory modes of this host. */
public final class PluginSelection {
  /** The hypervisor to use. */
  public static final Setting<String> HYPERVISOR =
      Setting.id("ramet.hypervisor", "Hypervisor to use.")
          .orElse("the best that works here")
          .like("qemu");

  /** The memory mode to use. */
  public static final Setting<String> MEMORY_MODE =
      Setting.id("ramet.memory-mode", "Memory mode to force for every capture.")
          .orElse("the best for each")
          .like("incremental");

  private static final System.Logger LOG = System.getLogger(PluginSelection.class.getName());

  private final EngineConfig config;
  private final Plugins plugins;
  private final Prober prober;
  private final Set<NetworkPlan.Kind> networks;
  private final List<ProbedProvider> hypervisors;
  private final List<ProbedProvider> memoryModes;

  private PluginSelection(
      EngineConfig config,
      Plugins plugins,
      Prober prober,
      Set<NetworkPlan.Kind> networks,
      List<ProbedProvider> hypervisors,
      List<ProbedProvider> memoryModes) {
    this.config = config;
    this.plugins = plugins;
    this.prober = prober;
    this.networks = networks;
    this.hypervisors = hypervisors;
    this.memoryModes = memoryModes;
  }

  /** Probes both roles in a scratch directory; see {@link ProbeScratch}. */
  static PluginSelection probe(
      EngineConfig config, Plugins plugins, Prober prober, Set<NetworkPlan.Kind> networks)
      throws IOException {
    try (PendingProbes probing = PendingProbes.start(config, plugins, prober, networks)) {
      return probing.await();
    }
  }

  /**
   * The running probes of both roles. Used by one thread.
   *
   * @param networks the kinds of networks that this host gives machines
   * @param scratch the directory they use
   */
  public record PendingProbes(
      EngineConfig config,
      Plugins plugins,
      Prober prober,
      Set<NetworkPlan.Kind> networks,
      Path scratch,
      Prober.Pending hypervisors,
      Prober.Pending memoryModes)
      implements AutoCloseable {
    /** Starts the probes. */
    public static PendingProbes start(
        EngineConfig config, Plugins plugins, Prober prober, Set<NetworkPlan.Kind> networks)
        throws IOException {
      Path scratch = ProbeScratch.make(config.dataRoot());
      return new PendingProbes(
          config,
          plugins,
          prober,
          networks,
          scratch,
          start(config, plugins, prober, scratch, PluginKind.HYPERVISOR),
          start(config, plugins, prober, scratch, PluginKind.MEMORY));
    }

    private static Prober.Pending start(
        EngineConfig config, Plugins plugins, Prober prober, Path scratch, PluginKind role) {
      return prober.start(role, plugins.providers(role), id -> context(config, scratch, id));
    }

    /** Waits for the probes and returns the result. */
    public PluginSelection await() {
      Ranking ranking = plugins.ranking();
      List<ProbedProvider> machines =
          ranking.ranked(PluginFit.withNetworks(hypervisors.results(), networks));
      List<ProbedProvider> modes =
          PluginFit.withHypervisor(memoryModes.results(), choice(config, machines).orElse(null));
      return new PluginSelection(
          config, plugins, prober, networks, machines, ranking.ranked(modes));
    }

    /** Waits for the probes and removes their scratch directory. */
    @Override
    public void close() throws IOException {
      hypervisors.results();
      memoryModes.results();
      FileTrees.delete(scratch);
    }
  }

  static ProbeContext context(EngineConfig config, Path directory, String id) {
    return new ProbeContext(directory, config.plugin(id));
  }

  private Optional<ProbedProvider> hypervisorChoice() {
    return choice(config, hypervisors);
  }

  private static Optional<ProbedProvider> choice(
      EngineConfig config, List<ProbedProvider> hypervisors) {
    String wanted = config.settings().find(HYPERVISOR).orElse(null);
    if (wanted == null) {
      return Ranking.best(hypervisors);
    }
    return hypervisors.stream()
        .filter(one -> one.usable() && one.provider().id().equals(wanted))
        .findFirst();
  }

  /** Opens the selected hypervisor anew, or returns one that reports why there is none. */
  public Hypervisor openHypervisor() {
    Optional<ProbedProvider> choice = hypervisorChoice();
    if (choice.isPresent() && choice.get().provider() instanceof HypervisorProvider provider) {
      try {
        return provider.open(context(config, config.dataRoot(), provider.id()));
      } catch (RametException e) {
        LOG.log(System.Logger.Level.WARNING, "hypervisor " + provider.id() + " does not open", e);
        String remedy = e.remedy();
        return new UnavailableHypervisor(
            String.valueOf(e.getMessage()), remedy == null ? "see the host's log" : remedy);
      }
    }
    String remedies =
        String.join(
            "; ",
            hypervisors.stream()
                .map(ProbedProvider::remedy)
                .filter(text -> !text.isEmpty())
                .toList());
    return new UnavailableHypervisor(
        selection(PluginKind.HYPERVISOR, hypervisors, null).reason(), remedies);
  }

  /** Returns the facts about the hypervisor that {@link #openHypervisor} opens. */
  public HypervisorFacts hypervisorFacts() {
    return hypervisorChoice()
        .flatMap(one -> one.usableFacts(HypervisorFacts.class))
        .orElse(UnavailableHypervisor.FACTS);
  }

  /** Returns the same with the hypervisors left that can use the images of these roots. */
  public PluginSelection fitting(DataRoots roots) {
    List<ProbedProvider> fit =
        hypervisors.stream().map(one -> StorageFit.checked(one, roots)).toList();
    return new PluginSelection(config, plugins, prober, networks, fit, memoryModes);
  }

  /** Returns the ids of all hypervisor plugins, whether or not they work here. */
  public Set<String> hypervisorIds() {
    return hypervisors.stream()
        .map(one -> one.provider().id())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns a key of the hypervisor and those of its properties that a warm template depends on.
   */
  public String hypervisorKey() {
    return hypervisorChoice()
        .map(one -> one.provider().id() + new TreeMap<>(hypervisorFacts().stateNeeds()))
        .orElse("none");
  }

  /** Opens the memory modes that work here. */
  public MemoryModes openModes() {
    return ModeOpening.open(config, memoryModes);
  }

  /** Returns the doctor of this host. */
  public Doctor doctor(
      DataRoots roots,
      EgressFilter egress,
      UnauthenticatedAgents agents,
      Supplier<List<ProbedProvider>> storageProbes) {
    List<Selection> selections = new ArrayList<>();
    roots.list().forEach(root -> selections.add(root.selection()));
    selections.add(
        selection(
            PluginKind.HYPERVISOR,
            hypervisors,
            hypervisorChoice().map(one -> one.provider().id()).orElse(null)));
    selections.add(
        selection(
            PluginKind.MEMORY,
            memoryModes,
            Ranking.best(memoryModes).map(one -> one.provider().id()).orElse(null)));
    List<String> advice = new ArrayList<>();
    List<ProbedProvider> all = new ArrayList<>();
    for (RootOpener.Root root : roots.list()) {
      String storageAdvice = root.advice();
      if (storageAdvice != null) {
        advice.add(storageAdvice);
      }
      all.addAll(root.probed());
    }
    all.addAll(hypervisors);
    all.addAll(memoryModes);
    return new DoctorService(
        config,
        roots,
        new DoctorService.AtStart(selections, advice, plugins.refusals()),
        List.copyOf(all),
        egress,
        agents,
        () -> probeAll(roots, storageProbes));
  }

  private List<ProbedProvider> probeAll(
      DataRoots roots, Supplier<List<ProbedProvider>> storageProbes) {
    try {
      PluginSelection fresh = probe(config, plugins, prober, networks).fitting(roots);
      List<ProbedProvider> all = new ArrayList<>(storageProbes.get());
      all.addAll(fresh.hypervisors);
      all.addAll(fresh.memoryModes);
      return List.copyOf(all);
    } catch (IOException e) {
      throw Errors.ioError("cannot probe", config.dataRoot(), e);
    }
  }

  private Selection selection(
      PluginKind role, List<ProbedProvider> probed, @Nullable String chosen) {
    String forced =
        role == PluginKind.HYPERVISOR
            ? config.settings().find(HYPERVISOR).orElse(null)
            : config.settings().find(MEMORY_MODE).orElse(null);
    if (forced == null) {
      return Ranking.explain(role, "", probed, chosen, null);
    }
    String obstacle =
        probed.stream()
            .filter(one -> one.provider().id().equals(forced))
            .findFirst()
            .map(ProbedProvider::reason)
            .orElse("there is no such plugin");
    return obstacle.isEmpty()
        ? new Selection(role.label(), "", forced, "set in the configuration")
        : new Selection(
            role.label(), "", null, forced + " is set in the configuration: " + obstacle);
  }
}
