// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.engine.Doctor;
import dev.ramet.spi.Provider;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Orders plugins by preference: the operator's first, then the engine's. Plugins only state facts.
 * Immutable.
 */
public final class Ranking {
  private static final Map<Role, List<String>> PREFERENCE =
      Map.of(
          Role.STORAGE, List.of("reflink-xfs", "btrfs", "dm-snapshot", "byte-copy"),
          Role.MEMORY, List.of("write-tracking", "soft-dirty", "incremental", "full"),
          Role.HYPERVISOR, List.of("qemu", "cloud-hypervisor", "firecracker"));

  private final List<String> preferred;

  /**
   * Creates a ranking.
   *
   * @param preferred ids ranked before all others, most preferred first
   */
  public Ranking(List<String> preferred) {
    this.preferred = List.copyOf(preferred);
  }

  /** Returns the rank of an id, 0 for the best. Unknown ids come last. */
  public int rank(Role role, String id) {
    int wanted = preferred.indexOf(id);
    if (wanted >= 0) {
      return wanted;
    }
    List<String> order = PREFERENCE.getOrDefault(role, List.of());
    int index = order.indexOf(id);
    return preferred.size() + (index < 0 ? order.size() : index);
  }

  /** Returns the providers by rank; the sort is stable. */
  List<Provider<?>> sorted(Role role, List<Provider<?>> providers) {
    return providers.stream().sorted(Comparator.comparingInt(one -> rank(role, one.id()))).toList();
  }

  /** Returns the first usable provider of a list that is in order of preference. */
  public static Optional<Probed> best(List<Probed> probed) {
    return probed.stream().filter(Probed::usable).findFirst();
  }

  /** Explains why {@code chosen} was selected and the better ones were not. */
  public static Doctor.Selection explain(
      Role role, String where, List<Probed> probed, @Nullable String chosen, @Nullable String why) {
    if (why != null) {
      return new Doctor.Selection(role.label(), where, chosen, why);
    }
    StringBuilder reason = new StringBuilder();
    for (Probed candidate : probed) {
      String id = candidate.provider().id();
      if (id.equals(chosen)) {
        reason.append(id).append(" is the best that works here");
        break;
      }
      reason.append(id).append(": ").append(candidate.reason()).append("; ");
    }
    if (chosen == null) {
      reason.append("none works here");
    }
    return new Doctor.Selection(role.label(), where, chosen, reason.toString());
  }
}
