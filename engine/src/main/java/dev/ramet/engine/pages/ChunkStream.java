// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Writes chunks to the image on a separate thread, in the order they are given, while the caller
 * reads the next ones. Used for captures that do not fit into staging memory and so keep the
 * machine paused for reading and writing. Only that thread may use the image until {@link #close}.
 * Used by one caller.
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
    this.thread = new Thread(this::writeLoop, "ramet-page-writer");
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

  /** Hands over a full chunk. */
  synchronized void enqueue(Chunk chunk) {
    waiting.add(chunk);
    notifyAll();
  }

  /** Returns how many bytes have been written or left as holes. */
  synchronized long writtenBytes() {
    return writtenBytes;
  }

  /**
   * Waits for a chunk that has been written and cleared, and returns it.
   *
   * @throws RuntimeException the exception with which writing failed
   */
  synchronized Chunk takeFree() {
    awaitWhile(true);
    return written.remove();
  }

  /** Returns a chunk that has already been written, or null when there is none. */
  synchronized @Nullable Chunk poll() {
    return written.poll();
  }

  /**
   * Waits until everything is written.
   *
   * @throws RuntimeException the exception with which writing failed
   */
  synchronized void drain() {
    awaitWhile(false);
  }

  private synchronized void awaitWhile(boolean noneWritten) {
    boolean interrupted = false;
    while (failure == null && (noneWritten ? written.isEmpty() : isBusy())) {
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

  private boolean isBusy() {
    return !waiting.isEmpty() || writing;
  }

  private void writeLoop() {
    Chunk chunk;
    while ((chunk = awaitNext()) != null) {
      RuntimeException why = null;
      try {
        image.writeAll(chunk);
        writeBack.add(chunk.firstOffset(), chunk.endOffset());
      } catch (RuntimeException e) {
        why = e;
      } catch (Throwable e) { // A machine is paused meanwhile, so every failure must be reported.
        why = new IllegalStateException("the thread that writes pages broke", e);
      }
      finished(chunk, why);
    }
  }

  private synchronized @Nullable Chunk awaitNext() {
    while (waiting.isEmpty() && !ending) {
      try {
        wait();
      } catch (InterruptedException e) {
        ending = true; // Only a JVM that shuts down interrupts this thread.
      }
    }
    writing = !ending && failure == null;
    return writing ? waiting.remove() : null;
  }

  private synchronized void finished(Chunk chunk, @Nullable RuntimeException why) {
    writing = false;
    failure = why;
    writtenBytes += why == null ? chunk.usedBytes() : 0;
    chunk.clear();
    written.add(chunk);
    notifyAll();
  }

  /** Stops after the current chunk; waiting chunks are not written. Idempotent. */
  @Override
  public void close() {
    synchronized (this) {
      ending = true;
      notifyAll();
    }
    ThreadJoiner.joinUninterruptibly(thread);
    writeBack.close();
    synchronized (this) {
      written.addAll(waiting);
      waiting.clear();
    }
  }
}
