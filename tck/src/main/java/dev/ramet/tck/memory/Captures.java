// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.TrackedProcess.PAGE;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes captures with one tracker. Each is composed over the baseline that the tracker names and
 * compared with what the memory must hold.
 */
public final class Captures implements AutoCloseable {
  private final MemoryWorld world;
  private final MemoryTracker tracker;
  private final Supplier<GuestMemory> described;
  private byte[] previous = new byte[0];
  private byte[] composed = new byte[0];
  private boolean committedOnce;

  /** The image of the current capture, as far as rounds before the pause have copied it. */
  private byte @Nullable [] begun;

  Captures(MemoryWorld world, MemoryTracker tracker) {
    this(world, tracker, world::memory);
  }

  /** Takes captures of memory that is described in another way than it is mapped. */
  Captures(MemoryWorld world, MemoryTracker tracker, Supplier<GuestMemory> described) {
    this.world = world;
    this.tracker = tracker;
    this.described = described;
  }

  MemoryTracker tracker() {
    return tracker;
  }

  /** Takes a whole capture and returns its selection. */
  PageRanges capture() {
    PageRanges ranges = selectOnly();
    commit();
    return ranges;
  }

  /**
   * Takes a capture of memory that a tracker may fail to follow: the tracker may say so and then
   * continue relative to something older.
   */
  void captureEvenIfLost() {
    try {
      capture();
    } catch (RametException e) {
      if (e.code() != ErrorCode.UNSUPPORTED) {
        throw e;
      }
      assertNotEquals(
          Baseline.PREVIOUS_CAPTURE,
          tracker.baseline(),
          "a tracker that lost track must not go on from the previous capture");
      capture();
    }
  }

  /** Commits the last selection as a capture. */
  void commit() {
    tracker.committed();
    previous = composed;
    begun = null;
    committedOnce = true;
  }

  /** Selects and compares, as for a capture that then fails: nothing is committed. */
  PageRanges selectOnly() {
    Baseline baseline = tracker.baseline();
    byte[] base = image(baseline);
    PageRanges ranges = tracker.select(described.get());
    overlay(ranges, base);
    compare(base, baseline, ranges);
    composed = base;
    return ranges;
  }

  /** Returns the image that the current capture composes. */
  private byte[] image(Baseline baseline) {
    byte[] copied = begun;
    if (copied != null) {
      return copied;
    }
    byte[] base =
        switch (baseline) {
          case NONE -> new byte[world.image.length];
          case RESTORE_IMAGE -> world.image.clone();
          case PREVIOUS_CAPTURE -> previous.clone();
        };
    if (base.length == 0) {
      fail("baseline() is PREVIOUS_CAPTURE and there was none: answer RESTORE_IMAGE until then");
    }
    return base;
  }

  private void overlay(PageRanges ranges, byte[] base) {
    for (int i = 0; i < ranges.count(); i++) {
      int at = Math.toIntExact(ranges.imageOffset(i));
      int length = Math.toIntExact(ranges.lengthBytes(i));
      if (ranges.isZero(i)) {
        Arrays.fill(base, at, at + length, (byte) 0);
      } else {
        world.process.read(ranges.address(i), ByteBuffer.wrap(base, at, length));
      }
    }
  }

  private LiveTracker live() {
    if (tracker instanceof LiveTracker live) {
      return live;
    }
    return fail("the tracker is no LiveTracker");
  }

  /** Begins a capture; an unfinished earlier one counts as failed. */
  void startOver() {
    live().startOver();
    begun = null;
  }

  /** Runs a round before the pause: selects pages, copies them and returns the selection. */
  PageRanges round() {
    PageRanges ranges = select();
    copy(ranges);
    return ranges;
  }

  /** Selects the pages of a round without copying them yet. */
  PageRanges select() {
    byte[] base = image(tracker.baseline());
    PageRanges ranges = live().selectRunning(world.memory());
    begun = base;
    return ranges;
  }

  /** Copies the pages of the last round. */
  void copy(PageRanges ranges) {
    overlay(ranges, image(tracker.baseline()));
    live().copied();
  }

  private void compare(byte[] base, Baseline baseline, PageRanges ranges) {
    int wrong = Arrays.mismatch(base, world.expected);
    if (wrong >= 0) {
      int page = wrong / PAGE;
      fail(
          "page "
              + page
              + " was lost: "
              + world.story(page)
              + "; "
              + covering(ranges, page)
              + ", relative to "
              + baseline
              + (committedOnce ? " after a commit" : " before any commit"));
    }
  }

  private static String covering(PageRanges ranges, int page) {
    for (int i = 0; i < ranges.count(); i++) {
      long from = ranges.imageOffset(i) / PAGE;
      if (from <= page && page < from + ranges.lengthBytes(i) / PAGE) {
        return ranges.isZero(i)
            ? "the selection takes it for zeros"
            : "the selection copies it from a wrong address";
      }
    }
    return "the selection leaves it out";
  }

  /**
   * Requires that a selection is no larger than necessary, for a mode that can tell.
   *
   * @param pages the number of pages that changed since the last commit
   */
  void atMost(PageRanges ranges, int pages, String what) {
    if (!world.states(MemoryFeature.SINCE_CAPTURE)) {
      return;
    }
    long copied = ranges.copyBytes() / PAGE;
    if (copied > pages) {
      fail(
          "the probe states '"
              + MemoryFeature.SINCE_CAPTURE
              + "' and "
              + copied
              + " pages were selected to be copied, of which "
              + pages
              + " may be: "
              + what
              + ": re-arm in committed(), or do not state it");
    }
  }

  @Override
  public void close() {
    tracker.close();
  }
}
