// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import org.jspecify.annotations.Nullable;

/**
 * The reference mode with rounds before the pause. Correct only if nobody writes between a round
 * and its copy: comparing content does not reveal a page that was changed and changed back.
 */
class LiveReferenceMode extends ReferenceMode {
  @Override
  public MemoryTracker attach(GuestMemory memory) {
    super.attach(memory).close(); // Refuses what it must.
    return memory.discards() ? new Tracker(memory) : new Live(memory);
  }

  /** Compares with the content that was copied last. */
  class Live extends Tracker implements LiveTracker {
    @Nullable Known copied;
    private @Nullable Known round;

    Live(GuestMemory memory) {
      super(memory);
    }

    @Override
    public void startOver() {
      copied = null;
    }

    @Override
    public PageRanges selectRunning(GuestMemory memory) {
      PageRanges ranges = since(copied == null ? previous : copied, memory);
      round = selected;
      return ranges;
    }

    @Override
    public void copied() {
      copied = round;
    }

    @Override
    public PageRanges select(GuestMemory memory) {
      return since(copied == null ? previous : copied, memory);
    }

    private PageRanges since(@Nullable Known then, GuestMemory memory) {
      Known committed = previous;
      previous = then;
      try {
        return super.select(memory);
      } finally {
        previous = committed;
      }
    }

    @Override
    public void committed() {
      super.committed();
      copied = null;
    }
  }
}
