// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A connection to a unix socket with a read timeout. Blocking channels have no timeout, so this one
 * is non-blocking and waits with a selector. One thread may read while another writes.
 */
final class UnixSocket implements AutoCloseable {
  private final SocketChannel channel;
  private final Selector readable;
  private final Selector writable;
  private final int readMillis;

  private UnixSocket(SocketChannel channel, int readMillis) throws IOException {
    this.channel = channel;
    this.readMillis = readMillis;
    channel.configureBlocking(false);
    readable = Selector.open();
    writable = Selector.open();
    channel.register(readable, SelectionKey.OP_READ);
    channel.register(writable, SelectionKey.OP_WRITE);
  }

  /**
   * Connects.
   *
   * @param readMillis read timeout, 0 for none
   */
  static UnixSocket connect(Path path, int readMillis) throws IOException {
    SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
    try {
      return new UnixSocket(channel, readMillis);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  InputStream input() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
          return 0;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(readMillis);
        int read = channel.read(buffer);
        while (read == 0) {
          long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
          if (readMillis > 0 && left <= 0) {
            throw new SocketTimeoutException("no answer within " + readMillis + " ms");
          }
          try {
            readable.select(readMillis > 0 ? left : 0);
            readable.selectedKeys().clear();
          } catch (ClosedSelectorException e) {
            throw new IOException("closed by another thread", e);
          }
          read = channel.read(buffer);
        }
        return read;
      }
    };
  }

  OutputStream output() {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
        while (buffer.hasRemaining()) {
          if (channel.write(buffer) == 0) {
            try {
              writable.select();
              writable.selectedKeys().clear();
            } catch (ClosedSelectorException e) {
              throw new IOException("closed by another thread", e);
            }
          }
        }
      }
    };
  }

  @Override
  public void close() {
    try (channel;
        readable;
        writable) {
      channel.shutdownOutput();
    } catch (IOException e) {
      // The connection is not needed any more.
    }
  }
}
