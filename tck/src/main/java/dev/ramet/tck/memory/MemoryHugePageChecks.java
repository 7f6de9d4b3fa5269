// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.COLLAPSE;
import static dev.ramet.tck.memory.MemoryWorld.HUGE;
import static dev.ramet.tck.memory.MemoryWorld.HUGEPAGE;
import static dev.ramet.tck.memory.MemoryWorld.NOHUGEPAGE;
import static dev.ramet.tck.memory.TrackedProcess.PAGE;
import static dev.ramet.tck.memory.TrackedProcess.PRESENT;

import dev.ramet.tck.support.Requirement;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Checks transparent huge pages, which the kernel makes of anonymous memory by itself. Each check
 * verifies that there is one, so that it cannot pass where the kernel makes none.
 */
abstract class MemoryHugePageChecks {
  private static final int ATTEMPTS = 600;
  private static final long HUGE_BYTES = (long) HUGE * PAGE;

  public abstract MemoryWorld world();

  /** Begins to track the memory mapped so far. */
  public abstract Captures captures();

  final void hugePages() {
    long before = world().process.hugeBytes();
    world().replaceByAnonymous(HUGE, 2 * HUGE);
    world().advise(HUGE, 2 * HUGE, HUGEPAGE);
    // Written before it is read: a read would map the huge zero page, which a write then splits.
    world().fill(HUGE + 7, 1, 7);
    world().fill(2 * HUGE + 7, 1, 7);
    world().note(HUGE, 2 * HUGE, "in a huge page");
    String off = "no transparent huge pages (/sys/kernel/mm/transparent_hugepage/enabled)";
    Requirement.ofKernel("thp", world().process.hugeBytes() > before, off);
  }

  @Test
  void hugePagesAreWhole() {
    hugePages();
    try (Captures captures = captures()) {
      captures.capture();
      world().poke(HUGE + 100, 1, 3);
      world().poke(2 * HUGE + 100, 1, 3);
      captures.capture();
      world().poke(2 * HUGE - 1, 1, 4095);
      captures.capture();
    }
  }

  @Test
  void theHugePageOfZeros() {
    world().replaceByAnonymous(HUGE, 2 * HUGE);
    world().advise(HUGE, 2 * HUGE, HUGEPAGE);
    long before = world().process.hugeBytes();
    world().look(HUGE + 1, 1);
    // One was read and all are there; a huge page of its own would count among the process's.
    Requirement.ofKernel(
        "thp",
        IntStream.range(HUGE, 2 * HUGE).allMatch(page -> (world().entry(page) & PRESENT) != 0)
            && world().process.hugeBytes() == before,
        "no huge page of zeros (enabled and use_zero_page in /sys/kernel/mm/transparent_hugepage)");
    try (Captures captures = captures()) {
      captures.capture();
      world().look(2 * HUGE, 1);
      captures.capture();
      world().poke(HUGE + 50, 2, 1);
      captures.capture();
    }
  }

  @Test
  void pagesThatAreGatheredIntoAHugeOne() {
    world().replaceByAnonymous(HUGE, 2 * HUGE);
    // Keeps these pages small, whatever the host is configured to do.
    world().advise(HUGE, 2 * HUGE, NOHUGEPAGE);
    for (int page = HUGE; page < 3 * HUGE; page += 3) {
      world().poke(page, 1, 5);
    }
    long small = world().process.hugeBytes();
    world().advise(HUGE, 2 * HUGE, HUGEPAGE);
    try (Captures captures = captures()) {
      captures.selectOnly();
      String none = "pages were not gathered into a huge one (MADV_COLLAPSE): errno ";
      int errno = gather(2 * HUGE, small + HUGE_BYTES);
      Requirement.ofKernel("thp", errno == 0, none + errno);
      captures.capture();
      world().poke(HUGE + 30, 3, 6);
      int later = gather(HUGE, small + 2 * HUGE_BYTES);
      // The kernel does not collapse pages that are protected by a userfaultfd.
      boolean left = later != 0 && world().process.isRegistered();
      Requirement.ofKernel("thp", later == 0 || left, none + later);
      captures.capture();
      world().poke(HUGE + 31, 1, 7);
      world().poke(2 * HUGE + 31, 1, 7);
      captures.capture();
    }
  }

  /**
   * Collapses pages into a huge one. The kernel skips busy pages, so it is asked again.
   *
   * @param atLeast how many bytes of the process must then be in huge pages. Not compared to those
   *     just before: the kernel's own daemon, khugepaged, may have gathered these pages meanwhile
   * @return 0, or the error number
   */
  private int gather(int page, long atLeast) {
    int errno = world().advise(page, HUGE, COLLAPSE);
    for (int attempt = 1; errno != 0 && attempt < ATTEMPTS; attempt++) {
      if (world().process.isRegistered()) {
        break;
      }
      // Old memory may have no two megabytes in one piece.
      Compaction.once();
      Pause.shortly();
      errno = world().advise(page, HUGE, COLLAPSE);
    }
    if (errno == 0) {
      world().note(page, HUGE, "gathered into a huge page");
      long huge = world().process.hugeBytes();
      String none =
          "MADV_COLLAPSE succeeds and makes no huge page: " + huge + " bytes are in huge ones";
      Requirement.ofKernel("thp", huge >= atLeast, none);
    }
    return errno;
  }
}
