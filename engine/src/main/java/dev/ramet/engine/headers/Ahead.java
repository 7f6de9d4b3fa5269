// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.engine.http.BadHttpException;
import dev.ramet.engine.http.Framing;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What a guest sends after the head of a request, read beside the answer: its body, which hosts may
 * answer before they have all of it; the bytes of another protocol; the next request's beginning;
 * or the guest's end, upon which nobody is to wait for an answer for ever. One for each request.
 */
final class Ahead {
  private static final System.Logger LOG = System.getLogger(Ahead.class.getName());

  private final BufferedInputStream in;
  private final Framing framing;
  private final boolean maySwitch;
  private final CompletableFuture<Boolean> switched = new CompletableFuture<>();
  private final CompletableFuture<Boolean> another = new CompletableFuture<>();
  private volatile @Nullable Far to;
  private volatile boolean bodyIsDone;
  private boolean begun;

  /**
   * Of one request.
   *
   * @param framing of its body
   * @param maySwitch whether it asks for another protocol
   */
  Ahead(BufferedInputStream in, Framing framing, boolean maySwitch) {
    this.in = in;
    this.framing = framing;
    this.maySwitch = maySwitch;
  }

  boolean hasBody() {
    return !framing.equals(Framing.NONE);
  }

  boolean maySwitch() {
    return maySwitch;
  }

  /** Whether all of the body was passed on. */
  boolean bodyIsDone() {
    return bodyIsDone;
  }

  /** Begins, with the connection that the head went by; goes on with another one that did. */
  void begin(Far far) {
    to = far;
    if (!begun) {
      begun = true;
      bodyIsDone = !hasBody();
      Thread thread = new Thread(null, this::run, "ramet-requests", 256 << 10);
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Says whether the protocol has changed. */
  void switched(boolean has) {
    switched.complete(has);
  }

  /** Waits for the next request; false when none comes. */
  boolean another() throws IOException {
    return get(another);
  }

  private void run() {
    try {
      if (hasBody()) {
        passBody();
      }
      in.mark(1);
      boolean more = in.read() >= 0;
      in.reset();
      if (more && maySwitch && get(switched)) {
        Framing.TO_THE_END.copy(in, far().out());
        more = false;
      }
      if (!more) {
        far().guestEnded();
      }
      another.complete(more);
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.DEBUG, "a guest's connection ends", e);
    } finally {
      another.complete(false);
    }
  }

  private void passBody() throws IOException {
    try {
      framing.copy(in, far().out());
      far().out().flush();
      bodyIsDone = true;
    } catch (BadHttpException | EOFException e) {
      // The host must not take a part for the whole.
      far().close();
      throw e;
    }
  }

  private Far far() {
    Far far = to;
    if (far == null) {
      throw new IllegalStateException("not begun");
    }
    return far;
  }

  private static boolean get(CompletableFuture<Boolean> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IOException(e);
    }
  }
}
