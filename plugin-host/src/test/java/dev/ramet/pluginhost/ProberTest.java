// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.Facts;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.Provider;
import dev.ramet.spi.storage.StorageFacts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

final class ProberTest {
  private static final Facts FACTS = StorageFacts.copying(Set.of());

  private final CountDownLatch never = new CountDownLatch(1);

  private record FakeProvider(String id, Supplier<ProbeResult> outcome)
      implements Provider<AutoCloseable> {
    @Override
    public Facts atBest() {
      return FACTS;
    }

    @Override
    public ProbeResult probe(ProbeContext where) {
      return outcome.get();
    }

    @Override
    public AutoCloseable open(ProbeContext where) {
      return () -> {};
    }
  }

  private List<ProbedProvider> probe(FakeProvider... providers) {
    return new Prober(Duration.ofMillis(300))
        .probe(
            PluginKind.STORAGE,
            List.<Provider<?>>of(providers),
            id -> new ProbeContext(Path.of("/tmp")));
  }

  @Test
  void reportsAHangingProbeAndGoesOn() {
    List<ProbedProvider> found =
        probe(
            new FakeProvider(
                "hangs",
                () -> {
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  return new ProbeResult.Usable(FACTS, Map.of());
                }),
            new FakeProvider("works", () -> new ProbeResult.Usable(FACTS, Map.of())));
    assertFalse(found.get(0).usable());
    assertTrue(found.get(0).reason().contains("no answer within"), found.get(0).reason());
    assertEquals("works", Ranking.best(found).orElseThrow().provider().id());
  }

  @Test
  void triesAFailedProbeOnceMore() {
    AtomicInteger tries = new AtomicInteger();
    List<ProbedProvider> found =
        probe(
            new FakeProvider(
                "slow",
                () ->
                    tries.incrementAndGet() == 1
                        ? new ProbeResult.Failed(new IllegalStateException("no answer in time"))
                        : new ProbeResult.Usable(FACTS, Map.of())),
            new FakeProvider(
                "unfit", () -> new ProbeResult.Unusable("no such kernel", "", "upgrade")));
    assertTrue(found.get(0).usable(), found.get(0).reason());
    assertEquals(2, tries.get());
    assertFalse(found.get(1).usable(), "an answer is not asked for again");
  }

  @Test
  void givesUpAProbeThatFailsTwice() {
    AtomicInteger tries = new AtomicInteger();
    List<ProbedProvider> found =
        probe(
            new FakeProvider(
                "broken",
                () -> {
                  tries.incrementAndGet();
                  throw new IllegalStateException("broken plugin");
                }));
    assertFalse(found.get(0).usable());
    assertEquals(2, tries.get());
  }

  @Test
  void turnsWhatAProbeThrowsIntoAFailure() {
    List<ProbedProvider> found =
        probe(
            new FakeProvider(
                "throws",
                () -> {
                  throw new IllegalStateException("broken plugin");
                }));
    assertTrue(found.get(0).result() instanceof ProbeResult.Failed);
    assertEquals("failed", found.get(0).report().outcome().name());
    assertTrue(found.get(0).report().outcome().reason().contains("broken plugin"));
  }

  @Test
  void explainsWhyBetterOnesWereNotTaken() {
    List<ProbedProvider> found =
        probe(
            new FakeProvider(
                "reflink-xfs", () -> new ProbeResult.Unusable("no reflink", "ext4", "use XFS")),
            new FakeProvider("byte-copy", () -> new ProbeResult.Usable(FACTS, Map.of())));
    String reason = Ranking.explain(PluginKind.STORAGE, "/data", found, "byte-copy", null).reason();
    assertEquals("reflink-xfs: no reflink; byte-copy is the best that works here", reason);
  }
}
