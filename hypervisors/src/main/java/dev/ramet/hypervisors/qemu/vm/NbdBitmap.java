// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.spi.storage.WriteLog.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Reads a dirty bitmap from QEMU's NBD server, which is the only way to read one. Implements the
 * part of an NBD client that this needs (NetworkBlockDevice/nbd, doc/proto.md; QEMU,
 * docs/interop/nbd.txt). Used by one thread.
 */
final class NbdBitmap implements AutoCloseable {
  private static final long MAGIC = 0x4e42444d41474943L; // NBDMAGIC
  private static final long OPTION_MAGIC = 0x49484156454f5054L; // IHAVEOPT
  private static final long OPTION_REPLY_MAGIC = 0x0003e889045565a9L;
  private static final int REQUEST_MAGIC = 0x25609513;
  private static final int CHUNK_MAGIC = 0x668e33ef;

  /** Fixed newstyle and no zeroes: the flags of both the server and the client. */
  private static final int FLAGS = 1 | 2;

  private static final int OPT_GO = 7;
  private static final int OPT_STRUCTURED_REPLY = 8;
  private static final int OPT_SET_META_CONTEXT = 10;

  private static final int REP_ACK = 1;
  private static final int REP_INFO = 3;
  private static final int REP_META_CONTEXT = 4;
  private static final int REP_ERROR_BIT = 1 << 31;

  private static final int INFO_EXPORT = 0;

  private static final int CMD_DISC = 2;
  private static final int CMD_BLOCK_STATUS = 7;

  private static final int CHUNK_DONE = 1;
  private static final int CHUNK_NONE = 0;
  private static final int CHUNK_BLOCK_STATUS = 5;
  private static final int CHUNK_ERROR_BIT = 1 << 15;

  private static final int DIRTY = 1;

  private static final String CONTEXT = "qemu:dirty-bitmap:";

  /** The protocol's request lengths have 32 bits; here they must fit an int and be aligned. */
  private static final long REQUEST_MAX_BYTES = (1L << 31) - (64 << 10);

  /** The longest string that the protocol allows. */
  private static final int STRING_MAX_BYTES = 4096;

  /**
   * QEMU sends at most 128 Ki extents in a reply (nbd/server.c), which {@link #in} receives in
   * parts.
   */
  private static final int EXTENTS_MAX = 1 << 20;

  private final NbdConnection server;
  private final ByteBuffer in;

  private NbdBitmap(NbdConnection server) {
    this.server = server;
    this.in = server.in();
  }

  /**
   * Connects without waiting for the server's greeting.
   *
   * @param alive whether it makes sense to try again
   * @throws IOException when there is no server
   */
  static NbdBitmap connect(Path socket, BooleanSupplier alive, Deadline deadline)
      throws IOException {
    return new NbdBitmap(NbdConnection.connect(socket, alive, deadline));
  }

  /**
   * Returns all dirty ranges.
   *
   * @param export the name of an export with this bitmap
   * @throws IOException when the bitmap cannot be read; then nothing is known
   */
  List<Range> read(String export, String bitmap) throws IOException {
    greet();
    ByteBuffer options = ByteBuffer.allocate(256 + 2 * export.length() + bitmap.length());
    options.putInt(FLAGS);
    byte[] name = export.getBytes(StandardCharsets.UTF_8);
    byte[] context = (CONTEXT + bitmap).getBytes(StandardCharsets.UTF_8);
    option(options, OPT_STRUCTURED_REPLY, 0);
    option(options, OPT_SET_META_CONTEXT, 12 + name.length + context.length);
    options.putInt(name.length).put(name).putInt(1).putInt(context.length).put(context);
    option(options, OPT_GO, 6 + name.length);
    options.putInt(name.length).put(name).putShort((short) 0);
    // The server handles options in order, and the refusal of any option ends the attempt.
    server.send(options.flip());
    acknowledged(OPT_STRUCTURED_REPLY);
    int id = context(context);
    long size = size();
    DirtyRanges dirty = new DirtyRanges();
    for (long position = 0; position < size; ) {
      position = status(id, position, size, dirty);
    }
    server.send(request(CMD_DISC, 0, 0));
    return dirty.end();
  }

  private void greet() throws IOException {
    server.need(18);
    expect(MAGIC, in.getLong(), "greeting");
    expect(OPTION_MAGIC, in.getLong(), "style");
    int flags = in.getShort();
    if ((flags & FLAGS) != FLAGS) {
      throw new IOException("an old server: handshake flags " + flags);
    }
  }

  private static void option(ByteBuffer out, int option, int lengthBytes) {
    out.putLong(OPTION_MAGIC).putInt(option).putInt(lengthBytes);
  }

  /** The header of a reply to an option. */
  private record Reply(int type, int lengthBytes) {}

  private Reply reply(int option) throws IOException {
    server.need(20);
    expect(OPTION_REPLY_MAGIC, in.getLong(), "option reply");
    expect(option, in.getInt(), "option");
    Reply reply = new Reply(in.getInt(), in.getInt());
    if (reply.lengthBytes < 0 || reply.lengthBytes > STRING_MAX_BYTES) {
      throw new IOException("an option reply of " + reply.lengthBytes + " bytes");
    }
    server.need(reply.lengthBytes);
    if ((reply.type & REP_ERROR_BIT) != 0) {
      throw new IOException(
          "option " + option + " refused (" + reply.type + "): " + readText(reply.lengthBytes));
    }
    return reply;
  }

  private void acknowledged(int option) throws IOException {
    Reply reply = reply(option);
    expect(REP_ACK, reply.type, "acknowledgement");
    expect(0, reply.lengthBytes, "acknowledgement's length");
  }

  private int context(byte[] context) throws IOException {
    Reply reply = reply(OPT_SET_META_CONTEXT);
    expect(REP_META_CONTEXT, reply.type, "context");
    expect(4 + context.length, reply.lengthBytes, "context's length");
    int id = in.getInt();
    String name = readText(context.length);
    if (!name.equals(new String(context, StandardCharsets.UTF_8))) {
      throw new IOException("another context: " + name);
    }
    acknowledged(OPT_SET_META_CONTEXT);
    return id;
  }

  private long size() throws IOException {
    long size = -1;
    while (true) {
      Reply reply = reply(OPT_GO);
      if (reply.type == REP_ACK) {
        expect(0, reply.lengthBytes, "acknowledgement's length");
        if (size < 0) {
          throw new IOException("no size, or one of " + size + " bytes");
        }
        return size;
      }
      expect(REP_INFO, reply.type, "information");
      if (reply.lengthBytes < 2) {
        throw new IOException("information of " + reply.lengthBytes + " bytes");
      }
      if (in.getShort() == INFO_EXPORT) {
        expect(12, reply.lengthBytes, "information's length");
        size = in.getLong();
        in.getShort();
      } else {
        in.position(in.position() + reply.lengthBytes - 2);
      }
    }
  }

  private static ByteBuffer request(int command, long offset, int lengthBytes) {
    return ByteBuffer.allocate(28)
        .putInt(REQUEST_MAGIC)
        .putShort((short) 0)
        .putShort((short) command)
        .putLong(offset) // The cookie: one request at a time.
        .putLong(offset)
        .putInt(lengthBytes)
        .flip();
  }

  /**
   * Requests the status from a position onward and returns the position that the answer reaches.
   */
  private long status(int context, long offset, long size, DirtyRanges dirty) throws IOException {
    int length = (int) Math.min(size - offset, REQUEST_MAX_BYTES);
    server.send(request(CMD_BLOCK_STATUS, offset, length));
    long position = offset;
    int flags = 0;
    while ((flags & CHUNK_DONE) == 0) {
      server.checkTime();
      server.need(20);
      expect(CHUNK_MAGIC, in.getInt(), "chunk");
      flags = in.getShort();
      int type = in.getShort();
      expect(offset, in.getLong(), "cookie");
      int lengthBytes = in.getInt();
      if ((type & CHUNK_ERROR_BIT) != 0) {
        throw new IOException(error(lengthBytes));
      } else if (type == CHUNK_BLOCK_STATUS && position == offset) {
        position = extents(context, offset, size, lengthBytes, dirty);
      } else {
        expect(CHUNK_NONE, type, "chunk's type");
        expect(0, lengthBytes, "chunk's length");
      }
    }
    if (position == offset) {
      throw new IOException("no status of what is at " + offset);
    }
    return position;
  }

  private long extents(int context, long offset, long size, int lengthBytes, DirtyRanges dirty)
      throws IOException {
    int count = (lengthBytes - 4) / 8;
    if (lengthBytes != 4 + 8 * count || count < 1 || count > EXTENTS_MAX) {
      throw new IOException("a status of " + lengthBytes + " bytes");
    }
    server.need(4);
    expect(context, in.getInt(), "context's number");
    long position = offset;
    for (int i = 0; i < count; i++) {
      server.need(8);
      long extent = Integer.toUnsignedLong(in.getInt());
      if (extent == 0 || extent > size - position) {
        throw new IOException(extent + " bytes at " + position + " of " + size);
      }
      if ((in.getInt() & DIRTY) != 0) {
        dirty.add(position, extent);
      }
      position += extent;
    }
    return position;
  }

  private String error(int lengthBytes) throws IOException {
    if (lengthBytes < 6 || lengthBytes > 6 + STRING_MAX_BYTES) {
      return "an error of " + lengthBytes + " bytes";
    }
    server.need(lengthBytes);
    int error = in.getInt();
    int length = Short.toUnsignedInt(in.getShort());
    return "error " + error + ": " + readText(Math.min(length, lengthBytes - 6));
  }

  private String readText(int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void expect(long expected, long found, String what) throws IOException {
    if (found != expected) {
      throw new IOException(
          "not NBD: "
              + what
              + " is "
              + Long.toHexString(found)
              + ", not "
              + Long.toHexString(expected));
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
