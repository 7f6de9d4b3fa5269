// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import dev.ramet.pluginhost.ProbedProvider;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.memory.MemoryFacts;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds plugins that work here by themselves, but not together with this host or with the selected
 * hypervisor. They count as unusable.
 */
final class PluginFit {
  private PluginFit() {}

  /**
   * Returns hypervisors, as unusable where no network would connect their machines.
   *
   * @param networks the kinds of networks that this host sets up
   */
  static List<ProbedProvider> withNetworks(
      List<ProbedProvider> hypervisors, Set<NetworkPlan.Kind> networks) {
    return hypervisors.stream().map(one -> withNetworks(one, networks)).toList();
  }

  private static ProbedProvider withNetworks(
      ProbedProvider hypervisor, Set<NetworkPlan.Kind> networks) {
    HypervisorFacts facts = hypervisor.usableFacts(HypervisorFacts.class).orElse(null);
    if (facts == null || facts.accepts().networks().stream().anyMatch(networks::contains)) {
      return hypervisor;
    }
    return unusable(
        hypervisor,
        "no network in common with this host",
        "its machines are connected by "
            + new TreeSet<>(facts.accepts().networks())
            + ", and this host sets up "
            + new TreeSet<>(networks),
        "use another hypervisor, or a version of this host or plugin that shares a kind of network");
  }

  /**
   * Returns memory modes, as unusable where they need something that the hypervisor does not allow.
   *
   * @param hypervisor the selected hypervisor, or null if there is none
   */
  static List<ProbedProvider> withHypervisor(
      List<ProbedProvider> modes, @Nullable ProbedProvider hypervisor) {
    return hypervisor == null
        ? modes
        : modes.stream().map(one -> withHypervisor(one, hypervisor)).toList();
  }

  private static ProbedProvider withHypervisor(ProbedProvider mode, ProbedProvider hypervisor) {
    MemoryFacts facts = mode.usableFacts(MemoryFacts.class).orElse(null);
    HypervisorFacts machines = hypervisor.usableFacts(HypervisorFacts.class).orElse(null);
    if (facts == null || machines == null) {
      return mode;
    }
    Set<Access> missing = new TreeSet<>(facts.needs());
    missing.removeAll(machines.saves().tracking());
    if (missing.isEmpty()) {
      return mode;
    }
    String id = hypervisor.provider().id();
    return unusable(
        mode,
        "the hypervisor " + id + " does not offer " + missing,
        "it needs " + new TreeSet<>(facts.needs()) + " to find the pages that changed",
        "use a hypervisor that offers it");
  }

  private static ProbedProvider unusable(
      ProbedProvider probed, String reason, String detail, String remedy) {
    return new ProbedProvider(
        probed.role(),
        probed.provider(),
        new ProbeResult.Unusable(reason, detail, remedy),
        probed.millis());
  }
}
