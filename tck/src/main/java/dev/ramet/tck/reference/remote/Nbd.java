// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Numbers of the NBD protocol (NetworkBlockDevice/nbd, doc/proto.md), and whole transfers. */
final class Nbd {
  static final long MAGIC = 0x4e42444d41474943L;
  static final long OPTION_MAGIC = 0x49484156454f5054L;
  static final long REPLY_MAGIC = 0x3e889045565a9L;
  static final int REQUEST_MAGIC = 0x25609513;
  static final int SIMPLE_REPLY_MAGIC = 0x67446698;

  static final int FIXED_NEWSTYLE = 1;
  static final int NO_ZEROES = 2;

  static final int OPT_EXPORT_NAME = 1;
  static final int OPT_ABORT = 2;
  static final int OPT_LIST = 3;
  static final int OPT_INFO = 6;
  static final int OPT_GO = 7;

  static final int REP_ACK = 1;
  static final int REP_SERVER = 2;
  static final int REP_INFO = 3;
  static final int REP_ERR_UNSUP = 0x80000001;
  static final int REP_ERR_INVALID = 0x80000003;
  static final int REP_ERR_UNKNOWN = 0x80000006;
  static final int INFO_EXPORT = 0;

  static final int FLAG_HAS_FLAGS = 1;
  static final int FLAG_READ_ONLY = 2;
  static final int FLAG_SEND_FLUSH = 4;
  static final int FLAG_SEND_FUA = 8;
  static final int FLAG_SEND_TRIM = 32;
  static final int FLAG_SEND_WRITE_ZEROES = 64;
  static final int FLAG_CAN_MULTI_CONN = 256;

  static final int CMD_READ = 0;
  static final int CMD_WRITE = 1;
  static final int CMD_DISCONNECT = 2;
  static final int CMD_FLUSH = 3;
  static final int CMD_TRIM = 4;
  static final int CMD_WRITE_ZEROES = 6;

  static final int EPERM = 1;
  static final int EIO = 5;
  static final int EINVAL = 22;
  static final int ENOSPC = 28;

  private Nbd() {}

  /** Reads this many bytes. */
  static ByteBuffer read(SocketChannel from, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (from.read(bytes) < 0) {
        throw new EOFException("the other side ended the connection");
      }
    }
    return bytes.flip();
  }

  /** Writes all bytes of a buffer that has been filled. */
  static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
    bytes.flip();
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }
}
