// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A TCP connection to a port of a guest, through the host. One thread may read while another
 * writes; closing it from a third one ends both. With a host that knows {@link TunnelFrames},
 * closing the output leaves the input open; with an earlier one it closes both.
 */
public final class Tunnel implements AutoCloseable {
  private final InputStream input;
  private final OutputStream output;
  private final AutoCloseable connection;

  private Tunnel(InputStream input, OutputStream output, AutoCloseable connection) {
    this.input = input;
    this.output = output;
    this.connection = connection;
  }

  /** Returns a tunnel whose bytes pass as they are, which ends as a whole. */
  static Tunnel raw(InputStream input, OutputStream output, AutoCloseable connection) {
    return new Tunnel(
        input,
        new FilterOutputStream(output) {
          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
          }

          @Override
          public void close() throws IOException {
            end(connection);
          }
        },
        connection);
  }

  /** Returns a tunnel whose directions end one by one. */
  static Tunnel framed(InputStream input, OutputStream output, AutoCloseable connection) {
    return new Tunnel(TunnelFrames.content(input), TunnelFrames.frames(output), connection);
  }

  /** Returns the bytes that the guest sends. */
  public InputStream input() {
    return input;
  }

  /** Returns the bytes that go to the guest; closing it tells the guest that they end. */
  public OutputStream output() {
    return output;
  }

  @Override
  public void close() throws IOException {
    end(connection);
  }

  private static void end(AutoCloseable connection) throws IOException {
    try {
      connection.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
