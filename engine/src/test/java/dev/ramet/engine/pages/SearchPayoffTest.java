// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class SearchPayoffTest {
  private static final int ROUND = SearchPayoff.SAMPLE + SearchPayoff.PASSED_OVER;
  private static final int PLACES = 10 * ROUND;

  /** A sample with one find in 32 pays, so a frequency just below that costs most. */
  private static final int JUST_TOO_RARE = 33;

  /** Enough places that rounds begin at each offset within a stretch of {@link #JUST_TOO_RARE}. */
  private static final int WHOLE_ROUNDS = JUST_TOO_RARE * ROUND;

  /**
   * The largest share of unnecessary writes among the necessary ones when finds are spread evenly.
   */
  private static final double MOST_TOO_MUCH = 0.029;

  /** Decides whether a place has a find, which may depend on whether it is searched. */
  private interface Something {
    boolean isAt(int place, boolean lookedAt);
  }

  /** The counts of searched places, of places that must be written, and of missed finds. */
  private record Outcome(int looks, int necessary, int missed) {
    double tooMuch() {
      return (double) missed / necessary;
    }
  }

  private static Outcome over(int places, Something something) {
    SearchPayoff payoff = new SearchPayoff();
    int looks = 0;
    int necessary = 0;
    int missed = 0;
    for (int place = 0; place < places; place++) {
      boolean look = payoff.isNextWorthSearching();
      boolean found = something.isAt(place, look);
      if (look) {
        looks++;
        payoff.recordResult(found);
      }
      necessary += found ? 0 : 1;
      missed += found && !look ? 1 : 0;
    }
    return new Outcome(looks, necessary, missed);
  }

  private static int looksWhere(IntPredicate something) {
    return over(PLACES, (place, look) -> something.test(place)).looks();
  }

  @Test
  void whereThereIsSomethingEveryPlaceIsLookedAt() {
    assertEquals(PLACES, looksWhere(place -> place % 10 == 0));
  }

  @Test
  void whereThereIsNothingFewAre() {
    assertEquals(10 * SearchPayoff.SAMPLE, looksWhere(place -> false));
  }

  @Test
  void itIsNoticedWhenThatChanges() {
    int turn = PLACES / 2;
    int looks = looksWhere(place -> place >= turn);
    assertEquals(turn + 5 * SearchPayoff.SAMPLE, looks, "five samples before, and all after");
  }

  @Test
  void whatIsSpreadEvenlyIsHardlyMissed() {
    for (int distance = 2; distance <= 100; distance++) {
      for (int first = 0; first < distance; first++) {
        int every = distance;
        int from = first;
        Outcome outcome = over(WHOLE_ROUNDS, (place, look) -> place % every == from);
        assertTrue(outcome.tooMuch() <= MOST_TOO_MUCH, every + " from " + from + ": " + outcome);
      }
    }
  }

  @Test
  void whatIsSpreadByChanceIsHardlyMissed() {
    for (int distance = 10; distance <= 100; distance++) {
      Random chance = new Random(distance);
      int every = distance;
      Outcome outcome = over(WHOLE_ROUNDS, (place, look) -> chance.nextInt(every) == 0);
      assertTrue(outcome.tooMuch() <= MOST_TOO_MUCH, every + ": " + outcome);
    }
  }

  /** Has one find per stretch, at a place that is not searched if there is one. */
  private static Something hiddenOnceIn(int stretch) {
    return new Something() {
      private boolean placed;

      @Override
      public boolean isAt(int place, boolean lookedAt) {
        placed &= place % stretch != 0;
        boolean here = !placed && (!lookedAt || place % stretch == stretch - 1);
        placed |= here;
        return here;
      }
    };
  }

  @Test
  void whatHidesFromTheSamplesCostsTheMostAtOneInThirtyThree() {
    Outcome worst = over(WHOLE_ROUNDS, hiddenOnceIn(JUST_TOO_RARE));
    assertEquals(new Outcome(33 * SearchPayoff.SAMPLE, 32 * ROUND, 288), worst);
    assertTrue(worst.tooMuch() > 0.028 && worst.tooMuch() <= MOST_TOO_MUCH, worst.toString());
    for (int stretch = 2; stretch <= 100; stretch++) {
      Outcome outcome = over(WHOLE_ROUNDS, hiddenOnceIn(stretch));
      assertTrue(outcome.tooMuch() <= worst.tooMuch(), stretch + ": " + outcome);
    }
  }

  @Test
  void ofABurstNoMoreIsMissedThanIsPassedOverOnce() {
    for (int first = 0; first < 2 * ROUND; first++) {
      int from = first;
      Outcome outcome = over(PLACES, (place, look) -> place >= from && place < from + 4 * ROUND);
      assertTrue(outcome.missed() <= SearchPayoff.PASSED_OVER, from + ": " + outcome);
    }
    Outcome worst = over(PLACES, (place, look) -> place >= SearchPayoff.SAMPLE);
    assertEquals(SearchPayoff.PASSED_OVER, worst.missed(), "right after a sample that did not pay");
  }

  /** The limit of the guarantee: no share can be guaranteed if all finds are at skipped places. */
  @Test
  void burstsThatKeepToWhatIsPassedOverAreMissedEachTime() {
    Outcome outcome = over(PLACES, (place, look) -> !look);
    assertEquals(
        new Outcome(
            10 * SearchPayoff.SAMPLE, 10 * SearchPayoff.SAMPLE, 10 * SearchPayoff.PASSED_OVER),
        outcome);
  }
}
