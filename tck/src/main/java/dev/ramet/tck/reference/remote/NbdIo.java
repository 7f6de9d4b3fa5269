// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ramet.spi.storage.Attachment;
import dev.ramet.tck.storage.NodeIo;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Reads and writes nodes as a client of the NBD server that their attachments name. */
public final class NbdIo implements NodeIo {
  /** Creates a client, which connects anew for each call. */
  public NbdIo() {}

  @Override
  public byte[] read(Attachment node, long offset, int lengthBytes) throws IOException {
    try (SocketChannel server = connect(node)) {
      request(server, Nbd.CMD_READ, offset, lengthBytes, new byte[0]);
      return Nbd.read(server, lengthBytes).array();
    }
  }

  @Override
  public void write(Attachment node, long offset, byte[] bytes) throws IOException {
    try (SocketChannel server = connect(node)) {
      request(server, Nbd.CMD_WRITE, offset, bytes.length, bytes);
    }
  }

  @Override
  public void discard(Attachment node, long offset, long lengthBytes) throws IOException {
    try (SocketChannel server = connect(node)) {
      request(server, Nbd.CMD_TRIM, offset, lengthBytes, new byte[0]);
    }
  }

  private static SocketChannel connect(Attachment node) throws IOException {
    if (!(node instanceof Attachment.Socket socket)
        || socket.protocol() != Attachment.Protocol.NBD) {
      throw new IOException("not an NBD socket: " + node);
    }
    SocketChannel server = SocketChannel.open(UnixDomainSocketAddress.of(socket.socket()));
    boolean done = false;
    try {
      choose(server, socket.export());
      done = true;
      return server;
    } finally {
      if (!done) {
        server.close();
      }
    }
  }

  private static void choose(SocketChannel server, String export) throws IOException {
    ByteBuffer hello = Nbd.read(server, 18);
    if (hello.getLong() != Nbd.MAGIC || hello.getLong() != Nbd.OPTION_MAGIC) {
      throw new IOException("not an NBD server of the newstyle");
    }
    byte[] name = export.getBytes(UTF_8);
    Nbd.write(
        server,
        ByteBuffer.allocate(20 + name.length)
            .putInt(Nbd.FIXED_NEWSTYLE | Nbd.NO_ZEROES)
            .putLong(Nbd.OPTION_MAGIC)
            .putInt(Nbd.OPT_EXPORT_NAME)
            .putInt(name.length)
            .put(name));
    Nbd.read(server, 10);
  }

  private static void request(
      SocketChannel server, int command, long offset, long length, byte[] data) throws IOException {
    Nbd.write(
        server,
        ByteBuffer.allocate(28 + data.length)
            .putInt(Nbd.REQUEST_MAGIC)
            .putShort((short) 0)
            .putShort((short) command)
            .putLong(1)
            .putLong(offset)
            .putInt((int) length)
            .put(data));
    ByteBuffer reply = Nbd.read(server, 16);
    if (reply.getInt() != Nbd.SIMPLE_REPLY_MAGIC) {
      throw new IOException("not a reply");
    }
    int error = reply.getInt();
    if (error != 0) {
      throw new IOException("the NBD server answers error " + error);
    }
  }
}
