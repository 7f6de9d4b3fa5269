// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.engine.Metric;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RegistryTest {
  private final Registry registry = new Registry();

  private Metric only() {
    List<Metric> all = registry.read();
    assertEquals(1, all.size());
    return all.get(0);
  }

  @Test
  void aCounterSumsByItsLabelsAndLosesNothingToOtherThreads() {
    Counter counter = registry.counter("c_total", "Help.", "mode", "kind");
    IntStream.range(0, 1000).parallel().forEach(i -> counter.increment("full", "snapshot"));
    counter.add(2.5, "full", "clone");
    Map<Map<String, String>, Double> values =
        only().samples().stream()
            .collect(
                java.util.stream.Collectors.toMap(Metric.Sample::labels, Metric.Sample::value));
    assertEquals(
        Map.of(
            Map.of("mode", "full", "kind", "snapshot"), 1000.0,
            Map.of("mode", "full", "kind", "clone"), 2.5),
        values);
  }

  @Test
  void bucketsOfAHistogramIncludeTheSmallerOnes() {
    Histogram histogram = registry.histogram("h", "Help.", new double[] {1, 2}, "mode");
    for (double value : new double[] {0.5, 1, 1.5, 3}) {
      histogram.observe(value, "full");
    }
    List<String> shown =
        only().samples().stream()
            .map(s -> s.suffix() + s.labels().getOrDefault("le", "") + "=" + s.value())
            .toList();
    assertEquals(
        List.of("_bucket1.0=2.0", "_bucket2.0=3.0", "_bucket+Inf=4.0", "_sum=6.0", "_count=4.0"),
        shown);
  }

  @Test
  void aGaugeTellsWhatIsTrueNow() {
    long[] now = {1};
    registry.gauge("g", "Help.", "state", () -> Map.of("running", now[0]));
    now[0] = 7;
    assertEquals(7, only().samples().get(0).value());
  }
}
