// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.nbd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one export of an NBD server (NetworkBlockDevice/nbd, doc/proto.md): fixed
 * newstyle handshake, one request at a time. Thread-safe. After an {@link IOException} other than
 * {@link Refused} the connection is useless.
 */
public final class NbdClient implements AutoCloseable {
  private static final long MAGIC = 0x4e42444d41474943L;
  private static final long OPTION_MAGIC = 0x49484156454f5054L;
  private static final long OPTION_REPLY_MAGIC = 0x3e889045565a9L;
  private static final int REQUEST_MAGIC = 0x25609513;
  private static final int REPLY_MAGIC = 0x67446698;
  private static final int FIXED_NEWSTYLE = 1;
  private static final int NO_ZEROES = 2;
  private static final int OPTION_GO = 7;
  private static final int REPLY_ACK = 1;
  private static final int REPLY_INFO = 3;
  private static final int INFO_EXPORT = 0;
  private static final int INFO_EXPORT_BYTES = 12;
  private static final int MOST_REPLY_BYTES = 64 << 10;
  private static final int FLAG_READ_ONLY = 2;
  private static final int FLAG_SEND_FLUSH = 4;
  private static final int FLAG_SEND_WRITE_ZEROES = 64;

  private static final int READ = 0;
  private static final int WRITE = 1;
  private static final int DISCONNECT = 2;
  private static final int FLUSH = 3;
  private static final int WRITE_ZEROES = 6;

  /** The size of requests that every server accepts. */
  private static final int MOST_BYTES = 32 << 20;

  /** A multiple of every block size, below the 32 bits of a request's length. */
  private static final long MOST_ZEROES_BYTES = 1L << 30;

  private final SocketChannel server;
  private final ByteBuffer request = ByteBuffer.allocate(28);
  private final ByteBuffer reply = ByteBuffer.allocate(16);
  private long sizeBytes;
  private int flags;
  private long lastCookie;

  /** Signals that the server refused a request; the connection stays useful. */
  public static final class Refused extends IOException {
    private static final long serialVersionUID = 1L;
    private static final int ENOSPC = 28;
    private final int errno;

    Refused(int errno) {
      super("the NBD server answers with error " + errno);
      this.errno = errno;
    }

    /** Returns whether the server has no space left. */
    public boolean noSpace() {
      return errno == ENOSPC;
    }
  }

  private NbdClient(SocketChannel server) {
    this.server = server;
  }

  /** Connects to an export. */
  public static NbdClient connect(Path socket, String export) throws IOException {
    SocketChannel server = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    boolean done = false;
    try {
      NbdClient client = new NbdClient(server);
      client.choose(export);
      done = true;
      return client;
    } finally {
      if (!done) {
        server.close();
      }
    }
  }

  private void choose(String export) throws IOException {
    ByteBuffer hello = receive(ByteBuffer.allocate(18));
    if (hello.getLong() != MAGIC
        || hello.getLong() != OPTION_MAGIC
        || (hello.getShort() & FIXED_NEWSTYLE) == 0) {
      throw new IOException("not an NBD server with the fixed newstyle handshake");
    }
    byte[] name = export.getBytes(UTF_8);
    send(
        ByteBuffer.allocate(26 + name.length)
            .putInt(FIXED_NEWSTYLE | NO_ZEROES)
            .putLong(OPTION_MAGIC)
            .putInt(OPTION_GO)
            .putInt(Integer.BYTES + name.length + Short.BYTES)
            .putInt(name.length)
            .put(name)
            .putShort((short) 0));
    boolean told = false;
    while (true) {
      ByteBuffer head = receive(ByteBuffer.allocate(20));
      if (head.getLong() != OPTION_REPLY_MAGIC || head.getInt() != OPTION_GO) {
        throw new IOException("not an answer to the choice of an export");
      }
      int type = head.getInt();
      int length = head.getInt();
      if (length < 0 || length > MOST_REPLY_BYTES) {
        throw new IOException("an answer of " + length + " bytes");
      }
      ByteBuffer data = receive(ByteBuffer.allocate(length));
      if (type == REPLY_ACK && told) {
        return;
      }
      if (type != REPLY_INFO) {
        throw new IOException(
            "the NBD server does not hand out '" + export + "': " + Integer.toHexString(type));
      }
      if (length == INFO_EXPORT_BYTES && data.getShort() == INFO_EXPORT) {
        sizeBytes = data.getLong();
        flags = Short.toUnsignedInt(data.getShort());
        told = true;
      }
    }
  }

  /** Returns the size of the export in bytes. */
  public long sizeBytes() {
    return sizeBytes;
  }

  /** Returns whether the server refuses writes. */
  public boolean readOnly() {
    return (flags & FLAG_READ_ONLY) != 0;
  }

  /** Returns whether {@link #writeZeroes} is supported. */
  public boolean writesZeroes() {
    return (flags & FLAG_SEND_WRITE_ZEROES) != 0;
  }

  /** Fills a buffer from its position to its limit. */
  public synchronized void read(ByteBuffer into, long offset) throws IOException {
    int end = into.limit();
    long at = offset;
    while (into.position() < end) {
      int length = Math.min(MOST_BYTES, end - into.position());
      request(READ, at, length, null);
      into.limit(into.position() + length);
      fill(into);
      into.limit(end);
      at += length;
    }
  }

  /** Writes a buffer from its position to its limit. */
  public synchronized void write(ByteBuffer bytes, long offset) throws IOException {
    int end = bytes.limit();
    long at = offset;
    while (bytes.position() < end) {
      int length = Math.min(MOST_BYTES, end - bytes.position());
      bytes.limit(bytes.position() + length);
      request(WRITE, at, length, bytes);
      bytes.limit(end);
      at += length;
    }
  }

  /** Makes a range read as zeros; the server may free its space. */
  public synchronized void writeZeroes(long offset, long lengthBytes) throws IOException {
    for (long done = 0; done < lengthBytes; done += MOST_ZEROES_BYTES) {
      long length = Math.min(MOST_ZEROES_BYTES, lengthBytes - done);
      request(WRITE_ZEROES, offset + done, length, null);
    }
  }

  /** Makes everything written so far durable, as far as the server can. */
  public synchronized void flush() throws IOException {
    if ((flags & FLAG_SEND_FLUSH) != 0) {
      request(FLUSH, 0, 0, null);
    }
  }

  private void request(int command, long offset, long length, @Nullable ByteBuffer data)
      throws IOException {
    long cookie = ++lastCookie;
    send(
        request
            .clear()
            .putInt(REQUEST_MAGIC)
            .putShort((short) 0)
            .putShort((short) command)
            .putLong(cookie)
            .putLong(offset)
            .putInt((int) length));
    while (data != null && data.hasRemaining()) {
      server.write(data);
    }
    receive(reply.clear());
    if (reply.getInt() != REPLY_MAGIC) {
      throw new IOException("not an answer of an NBD server");
    }
    int errno = reply.getInt();
    if (reply.getLong() != cookie) {
      throw new IOException("an answer to another request");
    }
    if (errno != 0) {
      throw new Refused(errno);
    }
  }

  private void send(ByteBuffer bytes) throws IOException {
    bytes.flip();
    while (bytes.hasRemaining()) {
      server.write(bytes);
    }
  }

  private ByteBuffer receive(ByteBuffer into) throws IOException {
    fill(into);
    return into.flip();
  }

  private void fill(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (server.read(into) < 0) {
        throw new EOFException("the NBD server ended the connection");
      }
    }
  }

  /** Disconnects. Idempotent. */
  @Override
  public synchronized void close() {
    try (server) {
      if (server.isOpen()) {
        send(
            request
                .clear()
                .putInt(REQUEST_MAGIC)
                .putShort((short) 0)
                .putShort((short) DISCONNECT)
                .putLong(0)
                .putLong(0)
                .putInt(0));
      }
    } catch (IOException e) {
      // The server has gone already, which is as good.
      request.clear();
    }
  }
}
