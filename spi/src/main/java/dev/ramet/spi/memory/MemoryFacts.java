// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import dev.ramet.spi.Facts;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The facts about a memory mode.
 *
 * @param features its abilities
 */
public record MemoryFacts(Set<MemoryFeature> features) implements Facts {
  /** Copies the features. */
  public MemoryFacts {
    features = Set.copyOf(features);
  }

  /** Returns the facts of a mode with these abilities. */
  public static MemoryFacts of(MemoryFeature... features) {
    return new MemoryFacts(Set.of(features));
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
