// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import org.jspecify.annotations.Nullable;

/**
 * Asks the kernel to write an image back to its device while more of it is being written, so that
 * less remains when the image is made durable. Runs on a separate thread, because the kernel blocks
 * the calling thread while the device is busy, for several times as long as the writes take.
 * Thread-safe.
 */
final class WriteBack implements AutoCloseable {
  private final ImageWriter image;
  private final Thread thread;
  private long from;
  private long to;
  private boolean ending;

  /** Starts the thread with nothing to do; the image stays open until {@link #close}. */
  WriteBack(ImageWriter image) {
    this.image = image;
    this.thread = new Thread(this::writeLoop, "ramet-write-back");
    thread.setDaemon(true);
    thread.start();
  }

  /** Reports that the image was written from one offset to another. */
  synchronized void add(long start, long end) {
    from = from == to ? start : Math.min(from, start);
    to = Math.max(to, end);
    notifyAll();
  }

  private void writeLoop() {
    for (long[] range = awaitRange(); range != null; range = awaitRange()) {
      image.beginWriteBack(range[0], range[1] - range[0]);
    }
  }

  /** Waits for and returns the range added since the last call; null when closed. */
  private synchronized long @Nullable [] awaitRange() {
    while (from == to && !ending) {
      try {
        wait();
      } catch (InterruptedException e) {
        ending = true; // Only a JVM that shuts down interrupts this thread.
      }
    }
    long[] range = ending ? null : new long[] {from, to};
    from = to;
    return range;
  }

  /** Ends after the current request. Idempotent. */
  @Override
  public void close() {
    synchronized (this) {
      ending = true;
      notifyAll();
    }
    ThreadJoiner.joinUninterruptibly(thread);
  }
}
