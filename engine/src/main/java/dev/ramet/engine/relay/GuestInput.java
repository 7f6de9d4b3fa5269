// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** What a guest sends, for a while within a limit of time in all. Used by one thread. */
final class GuestInput extends InputStream {
  private final Socket socket;
  private final InputStream in;
  private boolean limited;
  private long endNanos;

  GuestInput(Socket socket) throws IOException {
    this.socket = socket;
    this.in = socket.getInputStream();
  }

  /** Reading fails with {@link SocketTimeoutException} once this time is over. */
  void within(Duration time) {
    limited = true;
    endNanos = System.nanoTime() + time.toNanos();
  }

  /** Reading waits for as long as it takes. */
  void unlimited() {
    limited = false;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int millis = 0;
    if (limited) {
      long left = Duration.ofNanos(endNanos - System.nanoTime()).toMillis();
      if (left <= 0) {
        throw new SocketTimeoutException("the guest has not said in time what it wants");
      }
      millis = (int) left;
    }
    socket.setSoTimeout(millis);
    return in.read(bytes, offset, length);
  }
}
