// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.PageRanges;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A tracker without a machine: each round finds the ranges given in advance, and nothing once they
 * are used up. Used by one thread.
 */
final class FakeLiveTracker implements LiveTracker {
  private final Deque<PageRanges> findings;
  private Runnable whileSelecting = () -> {};
  private Runnable whenCopied = () -> {};
  private int selections;
  private int copied;

  FakeLiveTracker(List<PageRanges> findings) {
    this.findings = new ArrayDeque<>(findings);
  }

  /** Sets an action to run in each selection. */
  FakeLiveTracker whileSelecting(Runnable what) {
    whileSelecting = what;
    return this;
  }

  /** Sets an action to run at the end of each round that copied everything. */
  FakeLiveTracker whenCopied(Runnable what) {
    whenCopied = what;
    return this;
  }

  /** Returns how often written pages were selected. */
  int selections() {
    return selections;
  }

  /** Returns how often a round reported that it copied everything. */
  int copiedRounds() {
    return copied;
  }

  @Override
  public Baseline baseline() {
    return Baseline.PREVIOUS_CAPTURE;
  }

  @Override
  public void startOver() {}

  @Override
  public PageRanges selectRunning(GuestMemory memory) {
    selections++;
    whileSelecting.run();
    return findings.isEmpty() ? new PageRanges.Builder().build() : findings.removeFirst();
  }

  @Override
  public void copied() {
    copied++;
    whenCopied.run();
  }

  @Override
  public PageRanges select(GuestMemory memory) {
    throw new IllegalStateException("the machine does not stand still");
  }

  @Override
  public void committed() {
    throw new IllegalStateException("nothing was selected in a pause");
  }

  @Override
  public void close() {}
}
