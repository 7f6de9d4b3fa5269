// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.Facts;
import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.storage.StorageFacts;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Orders plugins: those that the operator prefers come first, then those with the better facts, and
 * of equals the one whose id comes first. Immutable.
 */
public final class Ranking {
  /** Sharing blocks comes first: it saves the time and the space of copying them. */
  private static final Comparator<StorageFacts> STORAGE =
      falseFirst((StorageFacts facts) -> !facts.copyOnWrite())
          .thenComparing(falseFirst(StorageFacts::layeredReads))
          .thenComparing(falseFirst(StorageFacts::movesOnWrite))
          .thenComparing(StorageFacts::copy);

  /** The fewer pages a mode copies during a pause, the better. */
  private static final Comparator<MemoryFacts> MEMORY =
      falseFirst((MemoryFacts facts) -> !facts.sinceCapture())
          .thenComparing(falseFirst(facts -> !facts.live()))
          .thenComparing(falseFirst(facts -> !facts.sinceRestore()))
          .thenComparing(falseFirst(facts -> !facts.anyMemory()));

  /**
   * Speed comes first, then guests that nobody else can command, then those that no full disk of
   * the host breaks, then cheaper captures.
   */
  private static final Comparator<HypervisorFacts> HYPERVISOR =
      falseFirst((HypervisorFacts facts) -> !facts.hardware())
          .thenComparing(falseFirst(facts -> !facts.guestSecret()))
          .thenComparing(lacks(HypervisorFeature.STOPS_ON_DISK_ERROR))
          .thenComparing(lacks(HypervisorFeature.DISK_WRITE_LOG))
          .thenComparing(lacks(HypervisorFeature.DISK_WRITES));

  private final List<String> preferred;

  /**
   * Creates a ranking.
   *
   * @param preferred ids ranked before all others, most preferred first
   */
  public Ranking(List<String> preferred) {
    this.preferred = List.copyOf(preferred);
  }

  /** Returns the ids that the operator prefers, most preferred first. */
  public List<String> preferred() {
    return preferred;
  }

  private static <F> Comparator<F> falseFirst(Function<F, Boolean> property) {
    return Comparator.comparing(property);
  }

  private static Comparator<HypervisorFacts> lacks(HypervisorFeature feature) {
    return falseFirst(facts -> !facts.features().contains(feature));
  }

  /** Returns the providers by rank on a host that offers everything they need. */
  List<Provider<?>> sorted(List<Provider<?>> providers) {
    return providers.stream().sorted(comparator(Provider::atBest, Provider::id)).toList();
  }

  /**
   * Returns probed providers by rank on this host. Those that do not work here are ranked as if
   * they did.
   */
  public List<ProbedProvider> ranked(List<ProbedProvider> probed) {
    return probed.stream()
        .sorted(comparator(ProbedProvider::facts, one -> one.provider().id()))
        .toList();
  }

  private <T> Comparator<T> comparator(Function<T, Facts> facts, Function<T, String> id) {
    return Comparator.comparingInt((T one) -> preference(id.apply(one)))
        .thenComparing(facts, Ranking::byFacts)
        .thenComparing(id);
  }

  private int preference(String id) {
    int wanted = preferred.indexOf(id);
    return wanted < 0 ? preferred.size() : wanted;
  }

  /** Compares the facts of two plugins of one role. */
  private static int byFacts(Facts one, Facts other) {
    if (one instanceof StorageFacts first && other instanceof StorageFacts second) {
      return STORAGE.compare(first, second);
    }
    if (one instanceof MemoryFacts first && other instanceof MemoryFacts second) {
      return MEMORY.compare(first, second);
    }
    if (one instanceof HypervisorFacts first && other instanceof HypervisorFacts second) {
      return HYPERVISOR.compare(first, second);
    }
    throw new IllegalArgumentException("not of one role: " + one + ", " + other);
  }

  /** Returns the first usable provider of a list that is in order of rank. */
  public static Optional<ProbedProvider> best(List<ProbedProvider> probed) {
    return probed.stream().filter(ProbedProvider::usable).findFirst();
  }

  /** Explains why {@code chosen} was selected and the better ones were not. */
  public static Selection explain(
      PluginKind role,
      String where,
      List<ProbedProvider> probed,
      @Nullable String chosen,
      @Nullable String why) {
    if (why != null) {
      return new Selection(role.label(), where, chosen, why);
    }
    StringBuilder reason = new StringBuilder();
    for (ProbedProvider candidate : probed) {
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
    return new Selection(role.label(), where, chosen, reason.toString());
  }
}
