// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The server's side of one connection after the handshake: one request after the other. */
final class NbdSession {
  private static final int REQUEST_BYTES = 28;
  private static final int REPLY_BYTES = 16;

  /** The size that clients may rely on if nothing was agreed. */
  private static final int MOST_BYTES = 32 << 20;

  private final SocketChannel client;
  private final NbdExport export;

  NbdSession(SocketChannel client, NbdExport export) {
    this.client = client;
    this.export = export;
  }

  /** Serves until the client disconnects. */
  void run() throws IOException {
    while (true) {
      ByteBuffer request = Nbd.read(client, REQUEST_BYTES);
      if (request.getInt() != Nbd.REQUEST_MAGIC) {
        throw new IOException("not a request");
      }
      request.getShort(); // Every write is durable here at once, so its flags ask for nothing.
      int command = request.getShort();
      long cookie = request.getLong();
      long offset = request.getLong();
      long length = Integer.toUnsignedLong(request.getInt());
      if (command == Nbd.CMD_DISCONNECT) {
        return;
      }
      boolean data = command == Nbd.CMD_WRITE || command == Nbd.CMD_READ;
      if (data && length > MOST_BYTES) {
        throw new IOException("a request of " + length + " bytes");
      }
      byte[] written =
          command == Nbd.CMD_WRITE ? Nbd.read(client, (int) length).array() : new byte[0];
      answer(cookie, command, offset, length, written);
    }
  }

  private void answer(long cookie, int command, long offset, long length, byte[] written)
      throws IOException {
    byte[] read = {};
    int error = 0;
    long size = export.sizeBytes();
    boolean changes =
        command == Nbd.CMD_WRITE || command == Nbd.CMD_TRIM || command == Nbd.CMD_WRITE_ZEROES;
    if (command != Nbd.CMD_FLUSH && (offset < 0 || offset > size || length > size - offset)) {
      error = command == Nbd.CMD_WRITE ? Nbd.ENOSPC : Nbd.EINVAL;
    } else if (changes && export.readOnly()) {
      error = Nbd.EPERM;
    } else {
      try {
        switch (command) {
          case Nbd.CMD_READ -> read = export.read(offset, (int) length);
          case Nbd.CMD_WRITE -> export.write(offset, written);
          case Nbd.CMD_TRIM, Nbd.CMD_WRITE_ZEROES -> export.discard(offset, length);
          case Nbd.CMD_FLUSH -> export.flush();
          default -> error = Nbd.EINVAL;
        }
      } catch (IOException e) {
        error = changes ? Nbd.ENOSPC : Nbd.EIO;
      } catch (RuntimeException e) { // a node that was deleted meanwhile
        error = Nbd.EIO;
      }
    }
    Nbd.write(
        client,
        ByteBuffer.allocate(REPLY_BYTES + (error == 0 ? read.length : 0))
            .putInt(Nbd.SIMPLE_REPLY_MAGIC)
            .putInt(error)
            .putLong(cookie)
            .put(error == 0 ? read : new byte[0]));
  }
}
