// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.workingset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.workingset.WorkingSet.Range;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which of the touched pages a working set keeps. */
final class WorkingSetTest {
  private static final long PAGE = WorkingSet.PAGE;
  private static final long MIB = 1 << 20;

  @Test
  void neighboursAndSmallGapsBecomeOneRange() {
    WorkingSet.Builder builder = new WorkingSet.Builder("s1", 64 * MIB);
    builder.add(PAGE, PAGE);
    builder.add(2 * PAGE, PAGE);
    builder.add(3 * PAGE + WorkingSet.GAP_BYTES, PAGE);
    builder.add(5 * PAGE + 2 * WorkingSet.GAP_BYTES, 2 * PAGE);
    WorkingSet set = builder.build();
    assertEquals(
        List.of(
            new Range(PAGE, 3 * PAGE + WorkingSet.GAP_BYTES),
            new Range(5 * PAGE + 2 * WorkingSet.GAP_BYTES, 2 * PAGE)),
        set.ranges());
    assertEquals(5 + WorkingSet.GAP_BYTES / PAGE, set.pages());
    assertTrue(set.whole());
  }

  @Test
  void aGuestThatTouchesEverythingGetsTheLowestQuarter() {
    WorkingSet.Builder builder = new WorkingSet.Builder("s1", 64 * MIB);
    assertTrue(builder.add(MIB, MIB));
    assertTrue(builder.add(4 * MIB, 15 * MIB), "the bound itself");
    assertFalse(builder.add(30 * MIB, MIB));
    assertFalse(builder.add(40 * MIB, MIB));
    WorkingSet set = builder.build();
    assertEquals(16 * MIB, set.bytes());
    assertEquals(new Range(4 * MIB, 15 * MIB), set.ranges().get(1));
    assertEquals(2, set.ranges().size());
    assertFalse(set.whole());
  }

  @Test
  void aRangeIsCutAtTheBound() {
    WorkingSet.Builder builder = new WorkingSet.Builder("s1", 64 * MIB);
    assertFalse(builder.add(0, 64 * MIB));
    assertEquals(List.of(new Range(0, 16 * MIB)), builder.build().ranges());
  }

  @Test
  void theBoundIsAQuarterUpToAFixedSize() {
    assertEquals(64 * MIB, WorkingSet.mostBytes(256 * MIB));
    assertEquals(256 * MIB, WorkingSet.mostBytes(64L << 30));
    assertEquals(PAGE, WorkingSet.mostBytes(7 * PAGE), "whole pages");
  }
}
