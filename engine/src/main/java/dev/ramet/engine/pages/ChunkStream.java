// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Writes chunks in the order they are given, in a thread of its own, while the giver reads the next
 * ones: for captures that do not fit into staging memory, whose machine waits for both. The image
 * belongs to that thread until {@link #close}. Used by one giver.
 */
final class ChunkStream implements AutoCloseable {
  private final ImageWriter image;
  private final ArrayDeque<Chunk> waiting = new ArrayDeque<>();
  private final ArrayDeque<Chunk> written = new ArrayDeque<>();
  private final WriteBack writeBack;
  private final Thread thread;
  private boolean ending;
  private boolean writing;
  private long writtenBytes;
  private @Nullable RuntimeException failure;

  ChunkStream(ImageWriter image) {
    this.image = image;
    this.writeBack = new WriteBack(image);
    this.thread = new Thread(this::work, "ramet-page-writer");
    thread.setDaemon(true);
    boolean started = false;
    try {
      thread.start();
      started = true;
    } finally {
      if (!started) {
        writeBack.close();
      }
    }
  }

  /** Hands a full chunk over. */
  synchronized void give(Chunk chunk) {
    waiting.add(chunk);
    notifyAll();
  }

  /** How much has been written, or left as holes. */
  synchronized long writtenBytes() {
    return writtenBytes;
  }

  /**
   * A chunk that has been written and cleared. Waits for it.
   *
   * @throws RuntimeException what writing failed with
   */
  synchronized Chunk take() {
    awaitWhile(true);
    return written.remove();
  }

  /** One that is there already; null when there is none. */
  synchronized @Nullable Chunk poll() {
    return written.poll();
  }

  /**
   * Waits until everything is written.
   *
   * @throws RuntimeException what writing failed with
   */
  synchronized void drain() {
    awaitWhile(false);
  }

  private synchronized void awaitWhile(boolean noneWritten) {
    boolean interrupted = false;
    while (failure == null && (noneWritten ? written.isEmpty() : busy())) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true; // A write cannot be left half done.
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    RuntimeException why = failure;
    if (why != null) {
      throw why;
    }
  }

  private boolean busy() {
    return !waiting.isEmpty() || writing;
  }

  private void work() {
    Chunk chunk;
    while ((chunk = next()) != null) {
      RuntimeException why = null;
      try {
        image.writeAll(chunk);
        writeBack.add(chunk.firstOffset(), chunk.endOffset());
      } catch (RuntimeException e) {
        why = e;
      } catch (Throwable e) { // a machine stands still for it: whatever it is, it must be told
        why = new IllegalStateException("the thread that writes pages broke", e);
      }
      ended(chunk, why);
    }
  }

  private synchronized @Nullable Chunk next() {
    while (waiting.isEmpty() && !ending) {
      try {
        wait();
      } catch (InterruptedException e) {
        ending = true; // Nobody interrupts this thread but a JVM that ends.
      }
    }
    writing = !ending && failure == null;
    return writing ? waiting.remove() : null;
  }

  private synchronized void ended(Chunk chunk, @Nullable RuntimeException why) {
    writing = false;
    failure = why;
    writtenBytes += why == null ? chunk.usedBytes() : 0;
    chunk.clear();
    written.add(chunk);
    notifyAll();
  }

  /** Ends after the chunk at hand; those that wait are not written. Idempotent. */
  @Override
  public void close() {
    synchronized (this) {
      ending = true;
      notifyAll();
    }
    Threads.join(thread);
    writeBack.close();
    synchronized (this) {
      written.addAll(waiting);
      waiting.clear();
    }
  }
}
