// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.util.ArrayList;
import java.util.List;

/** The results of {@link StorageHistory}, with their limits. Used by one thread. */
final class HistoryReport {
  /** The most that the last generations' clones may cost, as a multiple of the first ones'. */
  static final double PAUSE_RATIO = 1.2;

  private static final double WHOLE_RATIO = 2;
  private static final double SPACE_RATIO = 1.3;
  private static final double BYTES_PER_MIB = 1 << 20;

  private final String pool;
  private final HistorySeries first;
  private final List<Result> results = new ArrayList<>();

  /**
   * Starts an empty report.
   *
   * @param pool the name of the pool
   * @param first the first generations, with which all others are compared
   */
  HistoryReport(String pool, HistorySeries first) {
    this.pool = pool;
    this.first = first;
  }

  List<Result> results() {
    return results;
  }

  /** Reports the durations of the last generations, and the space of all. */
  void generations(
      String what, String clone, HistorySeries last, long writtenBytes, long usedBytes) {
    results.add(
        Result.of(ofLast(what) + ": " + clone, "ms", last.clones())
            .over(first.clones())
            .ratioAtMost(PAUSE_RATIO)
            .note("floor: generation 1"));
    whole(what + ", generation " + StorageHistory.GENERATIONS + ": all of it", last, WHOLE_RATIO);
    results.add(
        Result.of(
                pool + " " + what + ", space of all generations",
                "MiB",
                Samples.of(usedBytes / BYTES_PER_MIB))
            .over(Samples.of(writtenBytes / BYTES_PER_MIB))
            .ratioAtMost(SPACE_RATIO)
            .note("floor: the pages overwritten"));
  }

  /**
   * Reports the work that is done while the next generation is written.
   *
   * @param times in milliseconds, of all generations
   */
  void background(String what, Samples times) {
    results.add(
        Result.of(
                ofLast(what) + ": background",
                "ms",
                times.after(times.count() - StorageHistory.LASTS))
            .note("without rests, after each"));
  }

  /** Compares the last generations with those of the naive chain. */
  void naive(String what, HistorySeries last, NaiveChain.Measured chain) {
    Samples clones = chain.clones();
    results.add(
        Result.of(
                pool
                    + " "
                    + what
                    + ", naive chain: clone at generation "
                    + StorageHistory.GENERATIONS,
                "ms",
                clones.after(clones.count() - StorageHistory.LASTS))
            .over(clones.before(1))
            .note("floor: generation 1"));
    Samples least = chain.writes().after(chain.writes().count() - StorageHistory.LASTS);
    results.add(
        Result.of(ofLast(what) + ": all of it beside the naive chain", "ms", last.whole())
            .over(least)
            .note("floor: in C, to write the naive chain's image and sync it"));
    results.add(
        Result.of(
                pool + " " + what + ", naive chain: space",
                "MiB",
                Samples.of(chain.usedBytes() / BYTES_PER_MIB))
            .note("of one in " + StorageHistory.STRIDE + " of the first generations"));
  }

  /**
   * Reports what compaction did to the memory images.
   *
   * @param pieces of the last image
   * @param addedBytes by all compactions
   */
  void compaction(long pieces, long addedBytes) {
    results.add(
        Result.of(ofLast("memory") + ": pieces", "thousands", Samples.of(pieces / 1000.0))
            .note("of 262 thousand pages; laying out anew adds a tenth of what is written"));
    results.add(
        Result.of(
            pool + " memory, added by laying out anew",
            "MiB",
            Samples.of(addedBytes / BYTES_PER_MIB)));
  }

  /** Reports all work on a generation; a ratio of 0 is no limit. */
  void whole(String what, HistorySeries series, double ratio) {
    Result result =
        Result.of(pool + " " + what, "ms", series.whole())
            .over(first.whole())
            .note("floor: generation 1");
    results.add(ratio > 0 ? result.ratioAtMost(ratio) : result);
  }

  /** Reports clones of a disk that was written since its preparation; a ratio of 0 is no limit. */
  void late(String what, HistorySeries series, double ratio) {
    Result result =
        Result.of(ofLast("disk") + ": " + what, "ms", series.late())
            .over(first.late())
            .note(StorageHistory.PAGES_LATE + " pages written between preparation and pause");
    results.add(ratio > 0 ? result.ratioAtMost(ratio) : result);
  }

  private String ofLast(String what) {
    return pool + " " + what + ", generation " + StorageHistory.GENERATIONS;
  }
}
