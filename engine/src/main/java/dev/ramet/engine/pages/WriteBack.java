// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import org.jspecify.annotations.Nullable;

/**
 * Lets the kernel write an image back to its device while more of it is being written, so that
 * making it durable finds less to do. In a thread of its own: the kernel keeps whoever asks for it
 * waiting while the device is busy, several times as long as the writing takes. Thread-safe.
 */
final class WriteBack implements AutoCloseable {
  private final ImageWriter image;
  private final Thread thread;
  private long from;
  private long to;
  private boolean ending;

  /** Begins with nothing to do; the image stays open until {@link #close}. */
  WriteBack(ImageWriter image) {
    this.image = image;
    this.thread = new Thread(this::work, "ramet-write-back");
    thread.setDaemon(true);
    thread.start();
  }

  /** The image was written from one offset to another. */
  synchronized void add(long start, long end) {
    from = from == to ? start : Math.min(from, start);
    to = Math.max(to, end);
    notifyAll();
  }

  private void work() {
    for (long[] range = next(); range != null; range = next()) {
      image.beginWriteBack(range[0], range[1] - range[0]);
    }
  }

  /** All that came since the last time; null when it ends. */
  private synchronized long @Nullable [] next() {
    while (from == to && !ending) {
      try {
        wait();
      } catch (InterruptedException e) {
        ending = true; // Nobody interrupts this thread but a JVM that ends.
      }
    }
    long[] range = ending ? null : new long[] {from, to};
    from = to;
    return range;
  }

  /** Ends after what is being begun. Idempotent. */
  @Override
  public void close() {
    synchronized (this) {
      ending = true;
      notifyAll();
    }
    Threads.join(thread);
  }
}
