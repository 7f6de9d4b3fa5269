// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/**
 * Two streams as a connected socket, which is what Java's TLS wants to stand on. As thread-safe as
 * they are.
 */
final class StreamSocket extends Socket {
  private final InputStream in;
  private final OutputStream out;
  private volatile boolean closed;

  StreamSocket(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  @Override
  public InputStream getInputStream() {
    return in;
  }

  @Override
  public OutputStream getOutputStream() {
    return out;
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isBound() {
    return true;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public int getSoLinger() {
    return -1;
  }

  @Override
  public int getSoTimeout() {
    return 0;
  }

  @Override
  public void setSoTimeout(int millis) {
    // Whoever made the streams sees to that.
  }

  @Override
  public void shutdownInput() {
    // Whoever made the streams closes them.
  }

  @Override
  public void shutdownOutput() throws IOException {
    out.flush();
  }

  @Override
  public synchronized void close() {
    closed = true;
  }
}
