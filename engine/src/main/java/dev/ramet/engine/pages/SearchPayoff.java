// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

/**
 * Decides whether a search that may save work is worth its cost. A search takes about a sixth of
 * the time of the work, so it does not pay where hardly anything is found; then most places are
 * skipped, with a search now and again.
 *
 * <p>This misses at most 2.9 % of the places if they are spread evenly or at random. If they come
 * in bursts, a whole burst of up to {@value #PASSED_OVER} places can be missed. Used by one thread
 * at a time.
 */
final class SearchPayoff {
  /** The number of searches that decide about the next ones. */
  static final int SAMPLE = 64;

  /**
   * The number of places that are skipped after a sample that did not pay: only few at once,
   * because places worth finding are usually close together.
   */
  static final int PASSED_OVER = 256;

  /** A sample pays if at least one search in this many found something. */
  private static final int ONE_IN = 32;

  private int looked;
  private int found;
  private int passing;

  /**
   * Returns whether to search the next place; the caller then reports the result to {@link
   * #looked}.
   */
  boolean isNextWorthSearching() {
    if (passing == 0) {
      return true;
    }
    passing--;
    return false;
  }

  /** Records the result of a search. */
  void recordResult(boolean something) {
    looked++;
    found += something ? 1 : 0;
    if (looked == SAMPLE) {
      passing = found < SAMPLE / ONE_IN ? PASSED_OVER : 0;
      looked = 0;
      found = 0;
    }
  }
}
