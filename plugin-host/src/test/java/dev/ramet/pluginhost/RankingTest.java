// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.Facts;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.image.CopyCost;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the order of plugins. The facts of the host's own plugins are repeated here. */
final class RankingTest {
  private static final Map<String, Facts> STORAGE =
      Map.of(
          "reflink-xfs", new StorageFacts(CopyCost.PER_EXTENT, false, false, Set.of()),
          "btrfs", new StorageFacts(CopyCost.PER_EXTENT, false, true, Set.of()),
          "dm-snapshot", new StorageFacts(CopyCost.CONSTANT, true, false, Set.of()),
          "byte-copy", StorageFacts.copying(Set.of()));

  private static final Map<String, Facts> MEMORY =
      Map.of(
          "write-tracking",
          MemoryFacts.of(
              MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE, MemoryFeature.LIVE),
          "soft-dirty",
          MemoryFacts.of(MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE),
          "incremental",
          MemoryFacts.of(MemoryFeature.SINCE_RESTORE),
          "full",
          MemoryFacts.of(MemoryFeature.ANY_MEMORY));

  private static final List<String> OWN_STORAGE =
      List.of("reflink-xfs", "btrfs", "dm-snapshot", "byte-copy");
  private static final List<String> OWN_MODES =
      List.of("write-tracking", "soft-dirty", "incremental", "full");

  private static Facts facts(boolean hardware, Set<HypervisorFeature> features) {
    return new HypervisorFacts(
        hardware,
        features,
        new HypervisorFacts.Accepts(Set.of(), Set.of(), Set.of()),
        new HypervisorFacts.Saves(true, Set.of()),
        new HypervisorFacts.Restores(Map.of(), false, true, HypervisorFacts.Clock.SAVED),
        Set.of());
  }

  private record Stated(String id, Facts atBest) implements Provider<AutoCloseable> {
    @Override
    public ProbeResult probe(ProbeContext where) {
      throw new AssertionError("only ranked");
    }

    @Override
    public AutoCloseable open(ProbeContext where) {
      throw new AssertionError("only ranked");
    }
  }

  private static List<String> order(List<String> preferred, Map<String, Facts> facts) {
    List<Provider<?>> providers = new ArrayList<>();
    facts.forEach((id, stated) -> providers.add(new Stated(id, stated)));
    Collections.shuffle(providers);
    return new Ranking(preferred).sorted(providers).stream().map(Provider::id).toList();
  }

  private static Map<String, Facts> and(Map<String, Facts> facts, String id, Facts more) {
    Map<String, Facts> all = new HashMap<>(facts);
    all.put(id, more);
    return all;
  }

  @Test
  void theHostsOwnPluginsAreRankedAsTheyAlwaysWere() {
    assertEquals(OWN_STORAGE, order(List.of(), STORAGE));
    assertEquals(OWN_MODES, order(List.of(), MEMORY));
  }

  @Test
  void aThirdPartysPluginIsRankedByItsFacts() {
    Facts better = new StorageFacts(CopyCost.CONSTANT, false, false, Set.of());
    assertEquals("zz", order(List.of(), and(STORAGE, "zz", better)).get(0));
    Facts worse = StorageFacts.copying(Set.of());
    assertEquals("zz", order(List.of(), and(STORAGE, "zz", worse)).get(4), "ids decide at last");
    Facts all = MemoryFacts.of(MemoryFeature.values());
    assertEquals("zz", order(List.of(), and(MEMORY, "zz", all)).get(0));
    Facts half = MemoryFacts.of(MemoryFeature.SINCE_CAPTURE);
    assertEquals("zz", order(List.of(), and(MEMORY, "zz", half)).get(2));
  }

  @Test
  void aHypervisorThatEmulatesComesAfterOneThatDoesNot() {
    Set<HypervisorFeature> all = Set.of(HypervisorFeature.values());
    Map<String, Facts> facts =
        Map.of(
            "emulates",
            facts(false, all),
            "fast",
            facts(true, Set.of()),
            "fast-and-closed",
            facts(true, Set.of(HypervisorFeature.GUEST_SECRET)));
    assertEquals(List.of("fast-and-closed", "fast", "emulates"), order(List.of(), facts));
    assertEquals(List.of("emulates", "fast-and-closed", "fast"), order(List.of("emulates"), facts));
  }

  @Test
  void theOperatorsPreferenceIsAboveAllFacts() {
    assertEquals(
        List.of("full", "soft-dirty", "write-tracking", "incremental"),
        order(List.of("full", "soft-dirty"), MEMORY));
  }

  /** A usable plugin is ranked by its facts here, an unusable one by its facts at best. */
  @Test
  void theFactsOfThisHostCount() {
    Facts best = MemoryFacts.of(MemoryFeature.values());
    Facts any = MemoryFacts.of(MemoryFeature.ANY_MEMORY);
    Facts here = MemoryFacts.of();
    Provider<?> limited = new Stated("limited", best);
    Provider<?> unfit = new Stated("unfit", best);
    Provider<?> full = new Stated("full", any);
    List<ProbedProvider> ranked =
        new Ranking(List.of())
            .ranked(
                List.of(
                    probed(limited, new ProbeResult.Usable(here, Map.of())),
                    probed(full, new ProbeResult.Usable(any, Map.of())),
                    probed(unfit, new ProbeResult.Unusable("no", "no", "no"))));
    assertEquals(
        List.of("unfit", "full", "limited"),
        ranked.stream().map(one -> one.provider().id()).toList());
    assertEquals("full", Ranking.best(ranked).orElseThrow().provider().id());
    assertEquals(
        "unfit: no; full is the best that works here",
        Ranking.explain(PluginKind.MEMORY, "", ranked, "full", null).reason());
  }

  private static ProbedProvider probed(Provider<?> provider, ProbeResult result) {
    return new ProbedProvider(PluginKind.MEMORY, provider, result, 0);
  }

  @Test
  void kindsOfPluginsAreNotComparedWithOneAnother() {
    Map<String, Facts> mixed = and(STORAGE, "mode", MemoryFacts.of());
    assertThrows(IllegalArgumentException.class, () -> order(List.of(), mixed));
  }
}
