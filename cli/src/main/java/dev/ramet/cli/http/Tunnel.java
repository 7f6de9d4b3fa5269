// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A TCP connection to a port of a guest, through the host. One thread may read while another
 * writes; closing it from a third one ends both.
 */
public final class Tunnel implements AutoCloseable {
  private final InputStream input;
  private final OutputStream output;
  private final AutoCloseable connection;

  Tunnel(InputStream input, OutputStream output, AutoCloseable connection) {
    this.input = input;
    this.output = output;
    this.connection = connection;
  }

  /** Returns the bytes that the guest sends. */
  public InputStream input() {
    return input;
  }

  /** Returns the bytes that go to the guest. */
  public OutputStream output() {
    return output;
  }

  @Override
  public void close() throws IOException {
    try {
      connection.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
