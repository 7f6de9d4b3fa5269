// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import dev.ramet.egress.filter.EgressFilter;
import dev.ramet.engine.Doctor;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OutboundSettings;
import dev.ramet.engine.root.DataRoots;
import dev.ramet.engine.root.RootOpener;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.Host;
import dev.ramet.pluginhost.ProbedProvider;
import dev.ramet.pluginhost.Selection;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.pluginhost.find.Refusal;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageFacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Implements the doctor: keeps the probe results and probes again on request. Thread-safe. */
final class DoctorService implements Doctor {
  private static final int MOUNT_POINT = 4;

  private final EngineConfig config;
  private final DataRoots roots;
  private final AtStart atStart;
  private final EgressFilter egress;
  private final UnauthenticatedAgents agents;
  private final Supplier<List<ProbedProvider>> probes;
  private volatile List<ProbedProvider> probed;
  private volatile String mounts;

  /**
   * The results of the selection at start.
   *
   * @param selections the selections made
   * @param advice the advice collected
   * @param refusals plugins that were not loaded
   */
  record AtStart(List<Selection> selections, List<String> advice, List<Refusal> refusals) {
    /** Copies the lists. */
    AtStart {
      selections = List.copyOf(selections);
      advice = List.copyOf(advice);
      refusals = List.copyOf(refusals);
    }
  }

  /**
   * Creates a doctor.
   *
   * @param roots the roots in use
   * @param atStart the selections and advice of the start
   * @param probed the probe results at start
   * @param egress the filter that keeps guests from addresses
   * @param agents finds guests' agents that serve anyone who reaches them
   * @param probes probes all plugins again
   */
  DoctorService(
      EngineConfig config,
      DataRoots roots,
      AtStart atStart,
      List<ProbedProvider> probed,
      EgressFilter egress,
      UnauthenticatedAgents agents,
      Supplier<List<ProbedProvider>> probes) {
    this.config = config;
    this.roots = roots;
    this.atStart = atStart;
    this.mounts = mounts();
    this.probed = probed;
    this.egress = egress;
    this.agents = agents;
    this.probes = probes;
  }

  @Override
  public Report report(boolean refresh) {
    String mountsNow = mounts();
    if (refresh || !mountsNow.equals(mounts)) {
      mounts = mountsNow;
      probed = probes.get();
    }
    List<ProbedProvider> now = probed;
    List<String> hints = new ArrayList<>(atStart.advice());
    for (Refusal refusal : atStart.refusals()) {
      hints.add(refusal.sentence() + "; " + refusal.remedy());
    }
    if (config.settings().get(OutboundSettings.BY_DEFAULT) && !egress.isUsable()) {
      hints.add(
          "guests reach this host's own addresses, since they cannot be kept from them: "
              + egress.detail());
    }
    hints.addAll(agents.advice());
    boolean degraded = !hints.isEmpty();
    for (ProbedProvider one : now) {
      if (one.result() instanceof ProbeResult.Usable usable && isChosen(one)) {
        String slow = usable.evidence().get(ProbeResult.LIMITATION);
        if (slow != null) {
          hints.add(one.provider().id() + ": " + slow);
          degraded = true;
        }
      }
      if (one.result() instanceof ProbeResult.Failed) {
        degraded = true;
      }
    }
    if (!copyOnWrite(now)) {
      degraded = true;
    }
    boolean broken =
        atStart.selections().stream().anyMatch(selection -> selection.chosen() == null);
    return new Report(
        broken ? Verdict.BROKEN : degraded ? Verdict.DEGRADED : Verdict.GOOD,
        host(),
        Stream.concat(
                now.stream().map(ProbedProvider::report),
                atStart.refusals().stream().map(Refusal::report))
            .toList(),
        atStart.selections(),
        hints);
  }

  /**
   * Returns the mounts at the roots, above them and in them: when these change, earlier probe
   * results no longer hold. See proc_pid_mountinfo(5): the fifth field is the mount point.
   */
  private String mounts() {
    try {
      return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
          .filter(line -> roots.list().stream().anyMatch(root -> isMountOf(line, root)))
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      return "";
    }
  }

  private static boolean isMountOf(String mount, RootOpener.Root root) {
    String[] fields = mount.split(" ", MOUNT_POINT + 2);
    if (fields.length <= MOUNT_POINT) {
      return false;
    }
    Path point = Path.of(fields[MOUNT_POINT]);
    Path path = root.layout().root().toAbsolutePath();
    return path.startsWith(point) || point.startsWith(path);
  }

  private boolean isChosen(ProbedProvider one) {
    return atStart.selections().stream()
        .anyMatch(
            selection ->
                selection.role().equals(one.role().label())
                    && one.provider().id().equals(selection.chosen()));
  }

  private boolean copyOnWrite(List<ProbedProvider> now) {
    return now.stream()
        .filter(this::isChosen)
        .filter(one -> one.role() == PluginKind.STORAGE || one.role() == PluginKind.MEMORY_STORAGE)
        .allMatch(
            one ->
                one.usableFacts(StorageFacts.class).filter(StorageFacts::copyOnWrite).isPresent());
  }

  private Map<String, String> host() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("cpus", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("java", Runtime.version().toString());
    facts.put("dataRoot", config.dataRoot().toString());
    try {
      facts.put("kernel", Host.kernelRelease());
      facts.put("user", Host.effectiveUid() == 0 ? "root" : "uid " + Host.effectiveUid());
      for (RootOpener.Root root : roots.list()) {
        storage(root, facts);
      }
      facts.put("memory", memory());
      facts.put("networkFilter", (egress.isUsable() ? "" : "unusable: ") + egress.detail());
    } catch (LinuxException | IOException e) {
      facts.put("error", String.valueOf(e.getMessage()));
    }
    return facts;
  }

  private static void storage(RootOpener.Root root, Map<String, String> facts)
      throws LinuxException {
    String name = root.role().label() + ".";
    FsInfo info = FsInfo.of(root.layout().root());
    facts.put(name + "root", root.layout().root().toString());
    facts.put(name + "backend", root.provider().id());
    facts.put(name + "fileSystem", info.typeName());
    facts.put(name + "totalBytes", Long.toString(info.totalBytes()));
    facts.put(name + "freeBytes", Long.toString(info.freeBytes()));
    facts.put(name + "usedBytes", Long.toString(info.totalBytes() - info.freeBytes()));
  }

  private static String memory() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
      if (line.startsWith("MemTotal:")) {
        return line.substring("MemTotal:".length()).strip();
      }
    }
    return "unknown";
  }
}
