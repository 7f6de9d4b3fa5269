// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;

/** A connection to the host that a guest asks. Used by one thread at a time in each direction. */
final class Far implements AutoCloseable {
  /** Servers close what idles; most of them after five seconds, or later. */
  private static final Duration KEPT = Duration.ofSeconds(4);

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private boolean used;
  private long idleSinceNanos = System.nanoTime();

  private Far(Socket socket, InputStream in, OutputStream out) {
    this.socket = socket;
    this.in = in;
    this.out = out;
  }

  /** A connection that was made. */
  static Far of(Socket socket) throws IOException {
    return new Far(
        socket,
        new BufferedInputStream(socket.getInputStream()),
        new BufferedOutputStream(socket.getOutputStream()));
  }

  /** Makes one. */
  interface Dial {
    /** Connects, and shakes hands where it takes that. */
    Far connect() throws IOException;
  }

  InputStream in() {
    return in;
  }

  OutputStream out() {
    return out;
  }

  /** A request was answered to its end. */
  void rests() {
    used = true;
    idleSinceNanos = System.nanoTime();
  }

  /** Whether it has carried a request before, so that the host may have closed it meanwhile. */
  boolean used() {
    return used;
  }

  /** Whether the host has probably closed it. */
  boolean stale() {
    return used && System.nanoTime() - idleSinceNanos > KEPT.toNanos();
  }

  /** The guest says nothing more. */
  void guestEnded() throws IOException {
    socket.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
