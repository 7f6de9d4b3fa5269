// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import dev.ramet.cli.tty.AtEnd;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets a copy clean up when a signal such as that of Ctrl-C ends this process: it breaks the
 * transfer, and delays the end of the process until this object is closed. Thread-safe.
 */
final class Interruption implements AutoCloseable {
  private static final int CLEANUP_SECONDS = 30;

  private final CountDownLatch cleaned = new CountDownLatch(1);
  private final Consumer<String> late;
  private final AtEnd hook = new AtEnd(this::interrupt);
  private @Nullable GuestTar running;
  private boolean interrupted;

  /**
   * Installs itself.
   *
   * @param late receives a sentence for the user if cleaning up takes too long
   */
  Interruption(Consumer<String> late) {
    this.late = late;
  }

  /**
   * Sets the tar that a signal ends.
   *
   * @throws RametException CANCELLED if the signal has come already
   */
  synchronized void ends(GuestTar tar) {
    check();
    running = tar;
  }

  /**
   * Does nothing unless a signal has come.
   *
   * @throws RametException CANCELLED if one has come
   */
  synchronized void check() {
    if (interrupted) {
      throw new RametException(ErrorCode.CANCELLED, "the copy was interrupted");
    }
  }

  private void interrupt() {
    GuestTar tar;
    synchronized (this) {
      interrupted = true;
      tar = running;
    }
    if (tar != null) {
      tar.close();
    }
    try {
      boolean done = cleaned.await(CLEANUP_SECONDS, TimeUnit.SECONDS);
      if (!done) {
        late.accept("cleaning up takes too long; look for folders named .ramet-copy-*");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    cleaned.countDown();
    hook.close();
  }
}
