// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.engine.Doctor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The engine's order of preference among plugins that work here: plugins state facts only. */
public final class Ranking {
  private static final Map<Role, List<String>> PREFERENCE =
      Map.of(
          Role.STORAGE, List.of("reflink-xfs", "btrfs", "dm-snapshot", "byte-copy"),
          Role.MEMORY, List.of("write-tracking", "soft-dirty", "incremental", "full"),
          Role.HYPERVISOR, List.of("qemu", "cloud-hypervisor", "firecracker"));

  private Ranking() {}

  /** Where an id stands; unknown ones come last. */
  public static int rank(Role role, String id) {
    List<String> order = PREFERENCE.getOrDefault(role, List.of());
    int index = order.indexOf(id);
    return index < 0 ? order.size() : index;
  }

  /** The first usable one; the list is in order of preference already. */
  public static Optional<Probed> best(List<Probed> probed) {
    return probed.stream().filter(Probed::usable).findFirst();
  }

  /** Says why {@code chosen} was taken and the better ones were not. */
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
