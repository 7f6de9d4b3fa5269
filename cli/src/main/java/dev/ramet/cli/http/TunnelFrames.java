// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * The frames of a tunnel: each begins with its length in four bytes, and an empty one ends its
 * direction. So one side can end its output through a unix socket, TLS or a reverse proxy, and
 * still receive.
 */
final class TunnelFrames {
  /** The header by which a client asks for frames and the host agrees to them. */
  static final String HEADER = "Ramet-Tunnel-Frames";

  /** The version of the frames. */
  static final String VERSION = "1";

  private static final int LENGTH_BYTES = 4;
  private static final int MAX_BYTES = 64 << 10;

  private TunnelFrames() {}

  /** Returns the content of frames, up to an empty one; an end without it is an error. */
  static InputStream content(InputStream frames) {
    DataInputStream in = new DataInputStream(frames);
    return new InputStream() {
      private int left;
      private boolean ended;

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
        if (left == 0 && !ended) {
          left = in.readInt();
          ended = left == 0;
        }
        if (ended) {
          return -1;
        }
        if (left < 0) {
          throw new IOException("the host's frame is not well-formed");
        }
        int read = in.read(bytes, offset, Math.min(length, left));
        if (read < 0) {
          throw new EOFException("the tunnel broke");
        }
        left -= read;
        return read;
      }
    };
  }

  /** Returns a stream that writes frames; closing it writes the empty one, and closes no more. */
  static OutputStream frames(OutputStream to) {
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int at = 0; at < length; at += MAX_BYTES) {
          frame(bytes, offset + at, Math.min(MAX_BYTES, length - at));
        }
      }

      private void frame(byte[] bytes, int offset, int length) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(LENGTH_BYTES + length);
        to.write(frame.putInt(length).put(bytes, offset, length).array());
      }

      @Override
      public void flush() throws IOException {
        to.flush();
      }

      @Override
      public void close() throws IOException {
        frame(new byte[0], 0, 0);
        to.flush();
      }
    };
  }
}
