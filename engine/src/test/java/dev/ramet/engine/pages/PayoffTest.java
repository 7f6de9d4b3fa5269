// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class PayoffTest {
  private static final int PLACES = 10 * (Payoff.SAMPLE + Payoff.PASSED_OVER);

  private static int looksWhere(IntPredicate something) {
    Payoff payoff = new Payoff();
    int looks = 0;
    for (int place = 0; place < PLACES; place++) {
      if (payoff.isNextWorthALook()) {
        looks++;
        payoff.looked(something.test(place));
      }
    }
    return looks;
  }

  @Test
  void whereThereIsSomethingEveryPlaceIsLookedAt() {
    assertEquals(PLACES, looksWhere(place -> place % 10 == 0));
  }

  @Test
  void whereThereIsNothingFewAre() {
    assertEquals(10 * Payoff.SAMPLE, looksWhere(place -> false));
  }

  @Test
  void itIsNoticedWhenThatChanges() {
    int turn = PLACES / 2;
    int looks = looksWhere(place -> place >= turn);
    assertEquals(turn + 5 * Payoff.SAMPLE, looks, "five samples before, and all after");
  }
}
