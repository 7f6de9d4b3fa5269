// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** The server's side of the fixed newstyle handshake of one connection. */
final class NbdHandshake {
  private static final int MOST_OPTION_BYTES = 64 << 10;
  private static final int ZEROES_BYTES = 124;

  private final SocketChannel client;
  private final NbdServer.Exports exports;
  private boolean zeroes;

  NbdHandshake(SocketChannel client, NbdServer.Exports exports) {
    this.client = client;
    this.exports = exports;
  }

  /** Returns the export that the client has chosen, or null if it has gone. */
  @Nullable NbdExport agree() throws IOException {
    Nbd.write(
        client,
        ByteBuffer.allocate(18)
            .putLong(Nbd.MAGIC)
            .putLong(Nbd.OPTION_MAGIC)
            .putShort((short) (Nbd.FIXED_NEWSTYLE | Nbd.NO_ZEROES)));
    int flags = Nbd.read(client, Integer.BYTES).getInt();
    if ((flags & Nbd.FIXED_NEWSTYLE) == 0) {
      throw new IOException("the client does not know the fixed newstyle handshake");
    }
    zeroes = (flags & Nbd.NO_ZEROES) == 0;
    while (true) {
      ByteBuffer head = Nbd.read(client, 16);
      if (head.getLong() != Nbd.OPTION_MAGIC) {
        throw new IOException("not an option");
      }
      int option = head.getInt();
      int length = head.getInt();
      if (length < 0 || length > MOST_OPTION_BYTES) {
        throw new IOException("an option of " + length + " bytes");
      }
      ByteBuffer data = Nbd.read(client, length);
      switch (option) {
        case Nbd.OPT_EXPORT_NAME -> {
          return byName(UTF_8.decode(data).toString());
        }
        case Nbd.OPT_GO, Nbd.OPT_INFO -> {
          NbdExport chosen = describe(option, data);
          if (chosen != null && option == Nbd.OPT_GO) {
            return chosen;
          }
        }
        case Nbd.OPT_ABORT -> {
          reply(option, Nbd.REP_ACK, ByteBuffer.allocate(0));
          return null;
        }
        default -> reply(option, Nbd.REP_ERR_UNSUP, ByteBuffer.allocate(0));
      }
    }
  }

  /** The oldest way to choose, which has no answer to an unknown name but the end. */
  private @Nullable NbdExport byName(String name) throws IOException {
    NbdExport export = exports.find(name);
    if (export != null) {
      ByteBuffer answer =
          ByteBuffer.allocate(10 + (zeroes ? ZEROES_BYTES : 0))
              .putLong(export.sizeBytes())
              .putShort(flags(export));
      Nbd.write(client, answer.position(answer.capacity()));
    }
    return export;
  }

  private @Nullable NbdExport describe(int option, ByteBuffer data) throws IOException {
    int length = data.remaining() < Integer.BYTES ? -1 : data.getInt();
    if (length < 0 || length > data.remaining()) {
      reply(option, Nbd.REP_ERR_INVALID, ByteBuffer.allocate(0));
      return null;
    }
    String name = UTF_8.decode(data.slice().limit(length)).toString();
    NbdExport export = exports.find(name);
    if (export == null) {
      reply(option, Nbd.REP_ERR_UNKNOWN, ByteBuffer.allocate(0));
      return null;
    }
    reply(
        option,
        Nbd.REP_INFO,
        ByteBuffer.allocate(12)
            .putShort((short) Nbd.INFO_EXPORT)
            .putLong(export.sizeBytes())
            .putShort(flags(export)));
    reply(option, Nbd.REP_ACK, ByteBuffer.allocate(0));
    return export;
  }

  private static short flags(NbdExport export) {
    int flags =
        Nbd.FLAG_HAS_FLAGS
            | Nbd.FLAG_SEND_FLUSH
            | Nbd.FLAG_SEND_FUA
            | Nbd.FLAG_SEND_TRIM
            | Nbd.FLAG_SEND_WRITE_ZEROES
            | Nbd.FLAG_CAN_MULTI_CONN;
    return (short) (export.readOnly() ? flags | Nbd.FLAG_READ_ONLY : flags);
  }

  private void reply(int option, int type, ByteBuffer data) throws IOException {
    data.flip();
    Nbd.write(
        client,
        ByteBuffer.allocate(20 + data.remaining())
            .putLong(Nbd.REPLY_MAGIC)
            .putInt(option)
            .putInt(type)
            .putInt(data.remaining())
            .put(data));
  }
}
