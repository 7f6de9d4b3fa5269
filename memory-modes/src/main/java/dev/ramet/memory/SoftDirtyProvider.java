// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.memory.ClearRefs;
import dev.ramet.linux.memory.Pagemap;
import dev.ramet.memory.page.MergeDaemon;
import dev.ramet.memory.page.ProbeErrors;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.util.Map;

/** Provides the mode {@code soft-dirty}. */
public final class SoftDirtyProvider implements MemoryModeProvider {
  private static final MemoryFacts FACTS =
      MemoryFacts.of(MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE)
          .needing(Access.SOFT_DIRTY);

  /** A page that the kernel is just moving or swapping out is no one's own at that moment. */
  private static final int LOOKS = 3;

  private static final Object LOOKING = new Object();

  /** Called by {@link java.util.ServiceLoader}. */
  public SoftDirtyProvider() {}

  @Override
  public String id() {
    return SoftDirty.ID;
  }

  @Override
  public MemoryFacts atBest() {
    return FACTS;
  }

  /**
   * Writes a page, resets, looks, writes again and looks again: a kernel that does not track
   * accepts the reset all the same, and would silently lose every change.
   */
  @Override
  public ProbeResult probe(ProbeContext where) {
    if (new MergeDaemon(MergeDaemon.CONTROL).isRunning()) {
      return new ProbeResult.Unusable(
          "kernel samepage merging is on",
          MergeDaemon.REASON,
          "echo 2 > " + MergeDaemon.CONTROL + ", or use mode write-tracking");
    }
    try {
      Observation seen = observe();
      for (int again = 1; again < LOOKS && !seen.worksAsExpected(); again++) {
        seen = observe();
      }
      return seen.worksAsExpected()
          ? new ProbeResult.Usable(FACTS, Map.of("soft-dirty", seen.toString()))
          : new ProbeResult.Unusable(
              "the kernel does not track soft-dirty pages",
              seen.toString(),
              "use a kernel with CONFIG_MEM_SOFT_DIRTY (Debian's have it on x86-64), or mode"
                  + " write-tracking");
    } catch (LinuxException e) {
      return ProbeErrors.refused(e);
    } catch (RuntimeException | LinkageError e) {
      return new ProbeResult.Failed(e);
    }
  }

  /** A page's pagemap entries after a reset and after a write. */
  private record Observation(long reset, long written) {
    boolean worksAsExpected() {
      return (reset & Pagemap.SOFT_DIRTY) == 0
          && (written & Pagemap.SOFT_DIRTY) != 0
          && (written & SoftDirty.EXCLUSIVE) != 0;
    }

    @Override
    public String toString() {
      return "after the reset %#x, after a write %#x".formatted(reset, written);
    }
  }

  /**
   * Looks at a page of this process, in a separate mapping, because a mapping that grows when
   * another thread maps memory next to it becomes soft-dirty as a whole. One look at a time,
   * because a reset affects the whole process.
   */
  private static Observation observe() throws LinuxException {
    long pid = ProcessHandle.current().pid();
    synchronized (LOOKING) {
      try (NativeBuffer memory = NativeBuffer.allocateApart(NativeBuffer.PAGE_BYTES);
          NativeBuffer answer = NativeBuffer.allocate(NativeBuffer.PAGE_BYTES);
          Pagemap pagemap = Pagemap.open(pid);
          ClearRefs bits = ClearRefs.open(pid)) {
        memory.view(0, 1).put(0, (byte) 1);
        bits.resetSoftDirty();
        long reset = entry(pagemap, memory, answer);
        memory.view(0, 1).put(0, (byte) 2);
        return new Observation(reset, entry(pagemap, memory, answer));
      }
    }
  }

  private static long entry(Pagemap pagemap, NativeBuffer memory, NativeBuffer answer)
      throws LinuxException {
    pagemap.read(memory.address(), 1, answer);
    return answer.view(0, Long.BYTES).getLong(0);
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return new SoftDirty(new MergeDaemon(MergeDaemon.CONTROL));
  }
}
