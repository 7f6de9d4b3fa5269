// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.Facts;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The facts about a hypervisor.
 *
 * @param hardware whether guests run on the processor's virtualization; false if they are emulated
 * @param features the optional abilities
 * @param stateNeeds the properties of this hypervisor that a saved device state depends on, by
 *     name, such as its version. Two hypervisors with the same id and the same properties can
 *     restore each other's states; templates that were saved with other properties are built again
 * @param others names of further abilities, for people to read; nothing depends on them
 */
public record HypervisorFacts(
    boolean hardware,
    Set<HypervisorFeature> features,
    Map<String, String> stateNeeds,
    Set<String> others)
    implements Facts {
  /** Copies the sets and the map. */
  public HypervisorFacts {
    features = Set.copyOf(features);
    stateNeeds = Map.copyOf(stateNeeds);
    others = Set.copyOf(others);
  }

  /** Creates facts without names for people. */
  public HypervisorFacts(
      boolean hardware, Set<HypervisorFeature> features, Map<String, String> stateNeeds) {
    this(hardware, features, stateNeeds, Set.of());
  }

  /** Returns whether every guest receives its machine's secret. */
  public boolean guestSecret() {
    return features.contains(HypervisorFeature.GUEST_SECRET);
  }

  @Override
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>(others);
    features.forEach(feature -> names.add(feature.toString()));
    return names;
  }
}
