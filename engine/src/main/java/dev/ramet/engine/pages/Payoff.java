// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

/**
 * Whether to go on looking for something that saves work where it is found: looking takes about a
 * sixth of the time of the work, so it does not pay where hardly anything is found. Then most
 * places are passed over, with a look now and again.
 *
 * <p>What is missed that way is at most 2.9 % of the places where what is looked for lies evenly or
 * by chance. Where it lies in bursts, one can be missed as a whole: {@value #PASSED_OVER} places.
 * Used by one thread at a time.
 */
final class Payoff {
  /** So many looks decide about the next ones. */
  static final int SAMPLE = 64;

  /**
   * So many places are passed over after a sample that did not pay: few at once, because what is
   * looked for lies together.
   */
  static final int PASSED_OVER = 256;

  /** A sample pays when one look in so many found something. */
  private static final int ONE_IN = 32;

  private int looked;
  private int found;
  private int passing;

  /** Whether to look at the next place; whoever does tells {@link #looked}. */
  boolean isNextWorthALook() {
    if (passing == 0) {
      return true;
    }
    passing--;
    return false;
  }

  /** What a look brought. */
  void looked(boolean something) {
    looked++;
    found += something ? 1 : 0;
    if (looked == SAMPLE) {
      passing = found < SAMPLE / ONE_IN ? PASSED_OVER : 0;
      looked = 0;
      found = 0;
    }
  }
}
