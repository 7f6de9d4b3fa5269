// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Sends given bytes to one client, regardless of its requests, and then hangs up or stays silent.
 */
final class FakeNbdServer implements AutoCloseable {
  private final Path socket;
  private final ServerSocketChannel server;
  private final Thread thread;

  FakeNbdServer(Path socket, byte[] answers, boolean hangsUp) throws IOException {
    this.socket = socket;
    Files.deleteIfExists(socket);
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    thread = new Thread(() -> serve(answers, hangsUp));
    thread.start();
  }

  private void serve(byte[] answers, boolean hangsUp) {
    try (SocketChannel client = server.accept()) {
      ByteBuffer out = ByteBuffer.wrap(answers);
      while (out.hasRemaining()) {
        client.write(out);
      }
      if (hangsUp) {
        client.shutdownOutput();
      }
      ByteBuffer in = ByteBuffer.allocate(4096);
      while (client.read(in.clear()) >= 0) {
        // Until the client goes.
      }
    } catch (IOException e) {
      // The client may disconnect at any time.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Files.deleteIfExists(socket);
  }

  /** Builds a server's output (doc/proto.md). */
  static final class Script {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    private interface Part {
      void write() throws IOException;
    }

    private Script part(Part part) {
      try {
        part.write();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return this;
    }

    byte[] bytes() {
      return bytes.toByteArray();
    }

    Script more(byte[] any) {
      return part(() -> out.write(any));
    }

    Script greeting() {
      return part(
          () -> {
            out.writeBytes("NBDMAGICIHAVEOPT");
            out.writeShort(3);
          });
    }

    private void reply(int option, int type, int lengthBytes) throws IOException {
      out.writeLong(0x3e889045565a9L);
      out.writeInt(option);
      out.writeInt(type);
      out.writeInt(lengthBytes);
    }

    Script negotiation(String context, int id, long sizeBytes) {
      return part(
          () -> {
            reply(8, 1, 0);
            reply(10, 4, 4 + context.length());
            out.writeInt(id);
            out.writeBytes(context);
            reply(10, 1, 0);
            reply(7, 3, 14);
            out.writeShort(3); // Block sizes, which the client did not request.
            out.writeInt(1);
            out.writeInt(4096);
            out.writeInt(32 << 20);
            reply(7, 3, 12);
            out.writeShort(0);
            out.writeLong(sizeBytes);
            out.writeShort(3);
            reply(7, 1, 0);
          });
    }

    Script refusal(int option, String why) {
      return part(
          () -> {
            reply(option, (1 << 31) | 1, why.length());
            out.writeBytes(why);
          });
    }

    private void chunk(int type, long cookie, int lengthBytes) throws IOException {
      out.writeInt(0x668e33ef);
      out.writeShort(1);
      out.writeShort(type);
      out.writeLong(cookie);
      out.writeInt(lengthBytes);
    }

    /** Adds a block status; the extents alternate length and flags. */
    Script status(long cookie, int context, int... extents) {
      return part(
          () -> {
            chunk(5, cookie, 4 + 4 * extents.length);
            out.writeInt(context);
            for (int i : extents) {
              out.writeInt(i);
            }
          });
    }

    Script nothing(long cookie) {
      return part(() -> chunk(0, cookie, 0));
    }

    Script error(long cookie, int error, String why) {
      return part(
          () -> {
            byte[] text = why.getBytes(StandardCharsets.UTF_8);
            chunk(0x8001, cookie, 6 + text.length);
            out.writeInt(error);
            out.writeShort(text.length);
            out.write(text);
          });
    }
  }
}
