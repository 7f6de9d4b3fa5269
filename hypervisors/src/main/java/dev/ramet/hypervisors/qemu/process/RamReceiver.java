// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.process;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** Receives the one migration stream that QEMU sends when a machine is new. Used by one thread. */
public final class RamReceiver implements AutoCloseable {
  /**
   * Without main memory the stream has some 100 KB. Far more means that it contains main memory,
   * which must not fill the heap.
   */
  private static final int MAX_BYTES = 64 << 20;

  /** How often a wait checks whether QEMU is still alive. */
  private static final long POLL_MILLIS = 50;

  private final Path socket;
  private final ServerSocketChannel server;

  private RamReceiver(Path socket, ServerSocketChannel server) {
    this.socket = socket;
    this.server = server;
  }

  /**
   * Opens the socket in the machine's directory.
   *
   * @param pid the machine's process
   */
  public static RamReceiver listen(VmFiles files, long pid) throws IOException {
    Path socket = files.socket(VmFiles.RAM_SOCKET, pid);
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.bind(UnixDomainSocketAddress.of(socket));
      server.configureBlocking(false);
      return new RamReceiver(socket, server);
    } catch (IOException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Receives the whole stream.
   *
   * @param alive whether QEMU may still send; if it exits before it connects, no channel shows it
   */
  public byte[] receive(BooleanSupplier alive, Deadline deadline) throws IOException {
    try (Selector selector = Selector.open()) {
      await(selector, server, SelectionKey.OP_ACCEPT, alive, deadline);
      try (SocketChannel in = server.accept()) {
        in.configureBlocking(false);
        ByteBuffer chunk = ByteBuffer.allocate(256 * 1024);
        ByteArrayOutputStream all = new ByteArrayOutputStream(512 * 1024);
        SelectionKey key = in.register(selector, SelectionKey.OP_READ);
        while (true) {
          int count = in.read(chunk.clear());
          if (count < 0) {
            key.cancel();
            return all.toByteArray();
          }
          all.write(chunk.array(), 0, count);
          if (all.size() > MAX_BYTES) {
            throw new IOException("more than " + MAX_BYTES + " bytes of RAM blocks");
          }
          if (count == 0) {
            select(selector, alive, deadline);
          }
        }
      }
    }
  }

  private static void await(
      Selector selector,
      SelectableChannel channel,
      int operation,
      BooleanSupplier alive,
      Deadline deadline)
      throws IOException {
    SelectionKey key = channel.register(selector, operation);
    select(selector, alive, deadline);
    key.cancel();
    selector.selectNow();
  }

  private static void select(Selector selector, BooleanSupplier alive, Deadline deadline)
      throws IOException {
    while (selector.select(POLL_MILLIS) == 0) {
      if (!alive.getAsBoolean()) {
        throw new IOException("QEMU ended");
      }
      if (deadline.passed()) {
        throw deadline.exceeded("receiving the RAM blocks");
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new RametException(ErrorCode.CANCELLED, "interrupted while receiving RAM blocks");
      }
    }
    selector.selectedKeys().clear();
  }

  @Override
  public void close() throws IOException {
    server.close();
    VmFiles.delete(socket);
  }
}
