// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Staging memory shared by all captures, in chunks of 4 MiB. It grows on demand up to its limit and
 * stays allocated. The pages of a chunk are prefaulted when it is allocated, before any machine is
 * paused, so that copying into it takes no page faults. Thread-safe.
 */
public final class StagingPool implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition returned = lock.newCondition();
  private final ArrayDeque<Chunk> free = new ArrayDeque<>();
  private final int bound;
  private int allocated;
  private boolean closed;

  /**
   * Creates an empty pool.
   *
   * @param maxBytes how much memory it may hold; rounded down to whole chunks, at least one
   */
  public StagingPool(long maxBytes) {
    this.bound = (int) Math.max(1, Math.min(Integer.MAX_VALUE, maxBytes / Chunk.BYTES));
  }

  /** Returns how many bytes are allocated, in use or not. */
  public long allocatedBytes() {
    lock.lock();
    try {
      return (long) allocated * Chunk.BYTES;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many bytes captures use now. */
  public long usedBytes() {
    lock.lock();
    try {
      return (long) (allocated - free.size()) * Chunk.BYTES;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Allocates until {@code chunks} chunks are free, as far as the limit allows, and takes one.
   * Waits while none is free, so it must be called before a machine is paused.
   *
   * @throws RametException {@code CANCELLED} when the thread is interrupted, {@code HOST_UNFIT}
   *     when the host has no memory for even one chunk
   */
  Chunk takeAndWarm(int chunks) {
    grow(chunks);
    boolean locked = false;
    try {
      lock.lockInterruptibly();
      locked = true;
      while (free.isEmpty()) {
        checkOpen();
        returned.await();
      }
      checkOpen();
      return free.pop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting for memory", e);
    } finally {
      if (locked) {
        lock.unlock();
      }
    }
  }

  private void grow(int chunks) {
    while (reserve(chunks)) {
      Chunk chunk = null;
      try {
        // Allocate outside the lock: the capture of a paused machine must not wait for page faults
        // here.
        chunk = new Chunk(allocate());
      } catch (LinuxException e) {
        if (allocatedBytes() == Chunk.BYTES) {
          throw new RametException(ErrorCode.HOST_UNFIT, "no memory to stage captured pages", e);
        }
        // Captures also work with fewer chunks than wanted.
        return;
      } finally {
        if (chunk == null) {
          unreserve();
        } else {
          giveBack(chunk);
        }
      }
    }
  }

  private static NativeBuffer allocate() throws LinuxException {
    NativeBuffer memory = NativeBuffer.allocate(Chunk.BYTES);
    try {
      return memory.prefault();
    } catch (LinuxException e) {
      memory.close();
      throw e;
    }
  }

  private boolean reserve(int chunks) {
    lock.lock();
    try {
      checkOpen();
      boolean grows = free.size() < chunks && allocated < bound;
      allocated += grows ? 1 : 0;
      return grows;
    } finally {
      lock.unlock();
    }
  }

  private void unreserve() {
    lock.lock();
    try {
      allocated--;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a free chunk, or returns null. Never waits and never allocates, so that it can be used
   * while a machine is paused.
   */
  @Nullable Chunk tryTake() {
    lock.lock();
    try {
      return free.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns a chunk to the pool. */
  void giveBack(Chunk chunk) {
    chunk.clear();
    lock.lock();
    try {
      if (closed) {
        chunk.memory().close();
        allocated--;
      } else {
        free.push(chunk);
        returned.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new RametException(
          ErrorCode.UNAVAILABLE, "captures are no longer taken: shutting down");
    }
  }

  /** Frees the memory; chunks in use are freed when their captures end. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      for (Chunk chunk : free) {
        chunk.memory().close();
      }
      allocated -= free.size();
      free.clear();
      returned.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
