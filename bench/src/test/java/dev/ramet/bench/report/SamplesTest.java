// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class SamplesTest {
  @Test
  void aPercentileIsAMeasuredValue() {
    Samples samples = Samples.of(30, 10, 20, 40);
    assertEquals(20, samples.p50());
    assertEquals(40, samples.p99());
    assertEquals(10, samples.percentile(1));
    assertEquals(40, samples.percentile(100));
  }

  @Test
  void ofAHundredValuesTheLargestIsLeftOut() {
    Samples samples = new Samples();
    for (int i = 100; i > 0; i--) {
      samples.add(i);
    }
    assertEquals(50, samples.p50());
    assertEquals(99, samples.p99());
    assertEquals(100, samples.count());
  }

  @Test
  void oneValueIsEveryPercentile() {
    assertEquals(7, Samples.of(7).p50());
    assertEquals(7, Samples.of(7).p99());
  }

  @Test
  void whatWarmedUpIsLeftOutInTheOrderItCame() {
    Samples samples = Samples.of(900, 800, 1, 3, 2);
    assertEquals(3, samples.after(2).p99());
    assertEquals(3, samples.after(2).count());
    assertEquals(0, samples.after(9).count());
    assertEquals(5, samples.count());
  }

  @Test
  void samplesAreJoined() {
    Samples samples = Samples.of(1);
    samples.addAll(Samples.of(2, 3));
    assertEquals(3, samples.count());
    assertEquals(2, samples.p50());
  }

  @Test
  void nothingMeasuredHasNoMedian() {
    assertThrows(IllegalStateException.class, () -> new Samples().p50());
  }
}
