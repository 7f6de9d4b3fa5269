// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import dev.ramet.spi.Facts;
import java.util.EnumSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The facts about a memory mode.
 *
 * @param features its abilities
 * @param needs the ways to find changed pages that it uses. It is tried only on machines of a
 *     hypervisor that states all of them, see {@link
 *     dev.ramet.spi.hypervisor.HypervisorFacts.Saves#tracking}
 */
public record MemoryFacts(Set<MemoryFeature> features, Set<Access> needs) implements Facts {
  /** Copies the sets. */
  public MemoryFacts {
    features = Set.copyOf(features);
    needs = Set.copyOf(needs);
  }

  /** Returns the facts of a mode with these abilities that only reads. */
  public static MemoryFacts of(MemoryFeature... features) {
    return new MemoryFacts(Set.of(features), Set.of(Access.READ));
  }

  /** Returns these facts with further needs. */
  public MemoryFacts needing(Access... more) {
    Set<Access> all = EnumSet.copyOf(needs);
    all.addAll(Set.of(more));
    return new MemoryFacts(features, all);
  }

  /** Returns whether the mode accepts memory that is not the private mapping of an image. */
  public boolean anyMemory() {
    return features.contains(MemoryFeature.ANY_MEMORY);
  }

  /** Returns whether selections can be relative to the restore image. */
  public boolean sinceRestore() {
    return features.contains(MemoryFeature.SINCE_RESTORE);
  }

  /** Returns whether selections can be relative to the previous capture. */
  public boolean sinceCapture() {
    return features.contains(MemoryFeature.SINCE_CAPTURE);
  }

  /** Returns whether pages can be selected while the machine runs. */
  public boolean live() {
    return features.contains(MemoryFeature.LIVE);
  }

  @Override
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>();
    features.forEach(feature -> names.add(feature.toString()));
    return names;
  }
}
