// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.engine.support.Remedies;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.process.ProcessMemory;
import dev.ramet.linux.process.TracePermission;
import dev.ramet.spi.memory.PageRanges;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One capture of one machine's memory. Call {@link #copyWhileRunning} any number of times, then
 * {@link #readWhilePaused} once, then {@link #finish} once the machine runs again. If any of them
 * fails the image is worthless, and {@link #close} is the only call left. Used by one thread at a
 * time.
 */
public final class PageCapture implements AutoCloseable {
  private enum State {
    OPEN,
    READ,
    FINISHED,
    FAILED,
    CLOSED
  }

  private final ImageWriter image;
  private final StagingPool pool;
  private final int maxChunks;

  /** The chunks with pages, oldest first. The last one is being filled. */
  private final ArrayDeque<Chunk> staged = new ArrayDeque<>();

  /** Takes the full chunks when the machine's pages do not fit into staging memory; else null. */
  private @Nullable ChunkStream stream;

  private int chunks = 1;

  private State state = State.OPEN;
  private @Nullable PageRanges ranges;
  private long streamedBytes;
  private long copiedBytes;

  PageCapture(ImageWriter image, StagingPool pool, Chunk first, int maxChunks) {
    this.image = image;
    this.pool = pool;
    this.maxChunks = maxChunks;
    staged.add(first);
  }

  /**
   * Copies pages of a running process into the image. Pages written meanwhile must be passed to a
   * later call or to {@link #readWhilePaused}.
   *
   * @param pid the process whose address space the ranges refer to
   * @param selected the pages to copy
   * @param deadlineNanos the {@link System#nanoTime} after which no more copying starts
   * @return the number of bytes copied: less than all if the deadline passed
   * @throws RametException as {@link #readWhilePaused}
   */
  public long copyWhileRunning(long pid, PageRanges selected, long deadlineNanos) {
    enterState(State.OPEN);
    checkFits(selected);
    image.allowOverwriting();
    long before = copiedBytes;
    Chunk chunk = staged.getFirst();
    try (ProcessMemory memory = new ProcessMemory(pid)) {
      for (int i = 0; i < selected.count(); i++) {
        if (selected.isZero(i)) {
          image.hole(selected.imageOffset(i), selected.lengthBytes(i));
          copiedBytes += selected.lengthBytes(i);
          continue;
        }
        for (long done = 0; done < selected.lengthBytes(i); ) {
          int n = (int) Math.min(chunk.roomBytes(), selected.lengthBytes(i) - done);
          chunk.add(selected.imageOffset(i) + done, n);
          memory.add(selected.address(i) + done, n);
          done += n;
          if (chunk.roomBytes() == 0) {
            copy(memory, chunk, pid);
            if (System.nanoTime() - deadlineNanos >= 0) {
              state = State.OPEN;
              return copiedBytes - before;
            }
          }
        }
      }
      copy(memory, chunk, pid);
    } catch (LinuxException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "no memory to read pages with", e);
    }
    state = State.OPEN;
    return copiedBytes - before;
  }

  private void copy(ProcessMemory memory, Chunk chunk, long pid) {
    readChunk(memory, chunk, pid);
    image.write(chunk);
    copiedBytes += chunk.usedBytes();
    chunk.clear();
  }

  /**
   * Reads the selected pages into staging memory. When they do not fit, another thread writes to
   * the image meanwhile, so that the pause grows with the excess instead of the staging memory.
   *
   * @param pid the process whose address space the ranges refer to; it must be paused
   * @param selected the pages to capture
   * @throws RametException {@code HYPERVISOR_FAILED} when the process is gone or its memory is not
   *     where it should be, {@code HOST_UNFIT} when it may not be read, {@code CORRUPT} when the
   *     image is too small, {@code NO_SPACE} when it cannot grow
   */
  public void readWhilePaused(long pid, PageRanges selected) {
    enterState(State.OPEN);
    checkFits(selected);
    ranges = selected;
    if (selected.copyBytes() > (long) maxChunks * Chunk.BYTES) {
      stream = new ChunkStream(image);
    }
    try (ProcessMemory memory = new ProcessMemory(pid)) {
      for (int i = 0; i < selected.count(); i++) {
        if (!selected.isZero(i)) {
          stage(memory, selected.imageOffset(i), selected.address(i), selected.lengthBytes(i), pid);
        }
      }
      readChunk(memory, staged.getLast(), pid);
      streamedBytes = stream == null ? 0 : stream.writtenBytes();
    } catch (LinuxException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "no memory to read pages with", e);
    }
    state = State.READ;
  }

  private void stage(ProcessMemory memory, long imageOffset, long address, long bytes, long pid) {
    long done = 0;
    while (done < bytes) {
      Chunk chunk = staged.getLast();
      if (chunk.roomBytes() == 0) {
        readChunk(memory, chunk, pid);
        chunk = nextChunk();
        staged.addLast(chunk);
        streamFull();
      }
      int n = (int) Math.min(chunk.roomBytes(), bytes - done);
      chunk.add(imageOffset + done, n);
      memory.add(address + done, n);
      done += n;
    }
  }

  private Chunk nextChunk() {
    Chunk chunk = stream == null ? null : stream.poll();
    if (chunk == null && chunks < maxChunks) {
      chunk = pool.tryTake();
      chunks += chunk == null ? 0 : 1;
    }
    if (chunk != null) {
      return chunk;
    }
    if (stream == null) {
      stream = new ChunkStream(image); // Other captures hold the rest of the staging memory.
    }
    while (!staged.isEmpty()) {
      stream.enqueue(staged.removeFirst());
    }
    return stream.takeFree();
  }

  private void streamFull() {
    while (stream != null && staged.size() > 1) {
      stream.enqueue(staged.removeFirst());
    }
  }

  private static void readChunk(ProcessMemory memory, Chunk chunk, long pid) {
    try {
      memory.read(chunk.memory(), 0);
    } catch (LinuxException e) {
      throw switch (e.errno()) {
        case LinuxException.EPERM ->
            new RametException(
                ErrorCode.HOST_UNFIT,
                "memory of process " + pid + " may not be read",
                TracePermission.remedy(),
                e);
        case LinuxException.ESRCH ->
            new RametException(
                ErrorCode.HYPERVISOR_FAILED,
                "hypervisor process " + pid + " has ended",
                Remedies.MACHINE_ENDED,
                e);
        default ->
            new RametException(
                ErrorCode.HYPERVISOR_FAILED,
                "memory of hypervisor process " + pid + " is not where it was mapped",
                e);
      };
    }
  }

  private void checkFits(PageRanges selected) {
    int last = selected.count() - 1;
    if (last >= 0 && selected.imageOffset(last) + selected.lengthBytes(last) > image.sizeBytes()) {
      throw new RametException(
          ErrorCode.CORRUPT,
          "memory image "
              + image.name()
              + " of "
              + image.sizeBytes()
              + " bytes is smaller than the machine's memory");
    }
  }

  /**
   * Writes the staged pages, in ascending order, without syncing. Returns staging memory to the
   * pool chunk by chunk.
   *
   * @throws RametException {@code NO_SPACE} when the file system is full, {@code HOST_UNFIT} when
   *     writing fails otherwise
   */
  public PagesWritten finish() {
    enterState(State.READ);
    PageRanges selected = ranges;
    if (selected == null) {
      throw new IllegalStateException("nothing was read");
    }
    endStream(true);
    while (!staged.isEmpty()) {
      image.write(staged.getFirst());
      pool.giveBack(staged.removeFirst());
    }
    for (int i = 0; i < selected.count(); i++) {
      if (selected.isZero(i)) {
        image.hole(selected.imageOffset(i), selected.lengthBytes(i));
      }
    }
    state = State.FINISHED;
    return new PagesWritten(
        copiedBytes + selected.copyBytes() + selected.zeroBytes(),
        image.writtenBytes(),
        image.holeBytes(),
        image.sameBytes(),
        streamedBytes);
  }

  /** Stops the writing thread, if there is one, and takes back its chunks and the image. */
  private void endStream(boolean drain) {
    ChunkStream open = stream;
    if (open == null) {
      return;
    }
    if (drain) {
      open.drain();
    }
    stream = null;
    open.close();
    for (Chunk chunk = open.poll(); chunk != null; chunk = open.poll()) {
      pool.giveBack(chunk);
    }
  }

  /** Begins a step and marks the capture failed until the step completes. */
  private void enterState(State expected) {
    if (state != expected) {
      throw new IllegalStateException("capture is " + state + ", not " + expected);
    }
    state = State.FAILED;
  }

  /** Returns staging memory to the pool and closes the image. Idempotent. */
  @Override
  public void close() {
    if (state != State.CLOSED) {
      state = State.CLOSED;
      endStream(false);
      while (!staged.isEmpty()) {
        pool.giveBack(staged.removeFirst());
      }
      image.close();
    }
  }
}
