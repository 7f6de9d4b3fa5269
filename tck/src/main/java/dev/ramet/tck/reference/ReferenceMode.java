// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import static dev.ramet.tck.memory.TrackedProcess.FILE_OR_SHARED;
import static dev.ramet.tck.memory.TrackedProcess.PAGE;
import static dev.ramet.tck.memory.TrackedProcess.PRESENT;
import static dev.ramet.tck.memory.TrackedProcess.SWAPPED;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A mode that keeps the contract on any kernel without support from it: it remembers the content of
 * every page and compares. Slow; it is an example of what a mode must return.
 */
class ReferenceMode implements MemoryMode {
  @Override
  public MemoryTracker attach(GuestMemory memory) {
    check(memory);
    if (memory.regions().stream().noneMatch(r -> r.kind() == MemoryRegion.Kind.PRIVATE_IMAGE)) {
      throw new RametException(ErrorCode.UNSUPPORTED, "no part of the memory maps an image");
    }
    if (ProcessHandle.of(memory.pid()).isEmpty()) {
      throw new RametException(ErrorCode.HYPERVISOR_FAILED, "there is no process " + memory.pid());
    }
    return new Tracker(memory);
  }

  @Override
  public void close() {}

  /** Refuses memory with gaps. */
  void check(GuestMemory memory) {
    long end = 0;
    for (MemoryRegion region : memory.regions()) {
      if (region.imageOffset() != end) {
        throw new RametException(ErrorCode.CORRUPT, "no memory is mapped at offset " + end);
      }
      if (region.kind() != MemoryRegion.Kind.PRIVATE_IMAGE
          && region.kind() != MemoryRegion.Kind.ANONYMOUS) {
        throw new RametException(
            ErrorCode.UNSUPPORTED, region.kind() + " does not say what changed");
      }
      end += region.lengthBytes();
    }
    if (end != memory.imageSizeBytes()) {
      throw new RametException(ErrorCode.CORRUPT, "memory ends at " + end);
    }
  }

  /** Returns whether the process has its own content for a page with this entry. */
  boolean holds(long entry, MemoryRegion.Kind kind) {
    boolean image = kind == MemoryRegion.Kind.PRIVATE_IMAGE;
    boolean present = (entry & PRESENT) != 0 && !(image && (entry & FILE_OR_SHARED) != 0);
    return present || (entry & SWAPPED) != 0;
  }

  /**
   * Returns whether a page that is held must be copied.
   *
   * @param before its content at the previous capture, or null if it was not held
   */
  boolean changed(long page, byte @Nullable [] before, byte[] now) {
    return !Arrays.equals(before, now);
  }

  /** Adds what must be written for a page that is not held. */
  void absent(long offset, MemoryRegion region, boolean wasOther, PageRanges.Builder into) {
    if (region.kind() == MemoryRegion.Kind.ANONYMOUS) {
      into.zero(offset, PAGE);
    } else if (wasOther) {
      into.copy(offset, region.address() + offset - region.imageOffset(), PAGE);
    }
  }

  /** The known content of the memory at one moment. */
  static final class Known {
    final Map<Long, byte[]> held = new HashMap<>();
    final BitSet anonymous = new BitSet();
  }

  /** Tracks memory by keeping the pages of the previous capture. */
  class Tracker implements MemoryTracker {
    private final long pid;
    @Nullable Known previous;
    @Nullable Known selected;

    Tracker(GuestMemory memory) {
      pid = memory.pid();
    }

    @Override
    public Baseline baseline() {
      return previous == null ? Baseline.RESTORE_IMAGE : Baseline.PREVIOUS_CAPTURE;
    }

    @Override
    public PageRanges select(GuestMemory memory) {
      check(memory);
      if (memory.pid() != pid) {
        throw new RametException(ErrorCode.INTERNAL, "memory of another process");
      }
      Known now = new Known();
      PageRanges.Builder ranges = new PageRanges.Builder();
      try (FileChannel entries = open("pagemap");
          FileChannel content = open("mem")) {
        for (MemoryRegion region : memory.regions()) {
          select(region, entries, content, now, ranges);
        }
      } catch (IOException e) {
        throw new RametException(ErrorCode.HYPERVISOR_FAILED, "process " + pid + " has ended", e);
      }
      selected = now;
      return ranges.build();
    }

    private FileChannel open(String name) throws IOException {
      Path file = Path.of("/proc", Long.toString(pid), name);
      return FileChannel.open(file, StandardOpenOption.READ);
    }

    private void select(
        MemoryRegion region,
        FileChannel entries,
        FileChannel content,
        Known now,
        PageRanges.Builder into)
        throws IOException {
      int pages = Math.toIntExact(region.lengthBytes() / PAGE);
      ByteBuffer table = ByteBuffer.allocate(pages * Long.BYTES).order(ByteOrder.nativeOrder());
      long from = region.address() / PAGE * Long.BYTES;
      while (table.hasRemaining()) {
        if (entries.read(table, from + table.position()) <= 0) {
          throw new IOException("no entries");
        }
      }
      Known before = previous;
      for (int i = 0; i < pages; i++) {
        long offset = region.imageOffset() + (long) i * PAGE;
        long page = offset / PAGE;
        byte[] last = before == null ? null : before.held.get(page);
        if (region.kind() == MemoryRegion.Kind.ANONYMOUS) {
          now.anonymous.set((int) page);
        }
        if (holds(table.getLong(i * Long.BYTES), region.kind())) {
          ByteBuffer bytes = ByteBuffer.allocate(PAGE);
          long address = region.address() + (long) i * PAGE;
          if (content.read(bytes, address) != PAGE) {
            throw new IOException("no page");
          }
          now.held.put(page, bytes.array());
          if (changed(page, last, bytes.array())) {
            into.copy(offset, address, PAGE);
          }
        } else {
          boolean other = before != null && before.anonymous.get((int) page);
          absent(offset, region, last != null || other, into);
        }
      }
    }

    @Override
    public void committed() {
      previous = selected;
    }

    @Override
    public void close() {}
  }
}
