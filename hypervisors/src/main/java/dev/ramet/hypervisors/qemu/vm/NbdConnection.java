// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to QEMU's NBD server that must send and receive by a deadline. Used by one thread.
 *
 * <p>Like {@link Qmp.PendingReply#awaitAwake}, it polls for answers without sleeping at first,
 * because machines are paused meanwhile.
 */
final class NbdConnection implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;

  /**
   * Poll interval for connecting; the server already listens, but accepts one client after another.
   */
  private static final long CONNECT_POLL_NANOS = 100_000;

  private static final long FULL_POLL_NANOS = 100_000;

  private final SocketChannel channel;
  private final Deadline deadline;
  private final long awakeUntilNanos = System.nanoTime() + Qmp.AWAKE_NANOS;
  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
  private @Nullable Selector selector;

  private NbdConnection(SocketChannel channel, Deadline deadline) {
    this.channel = channel;
    this.deadline = deadline;
  }

  /**
   * Connects.
   *
   * @param alive whether it makes sense to try again
   * @throws IOException when there is no server
   */
  static NbdConnection connect(Path socket, BooleanSupplier alive, Deadline deadline)
      throws IOException {
    while (true) {
      SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      try {
        channel.configureBlocking(false);
        if (channel.connect(UnixDomainSocketAddress.of(socket))) {
          return new NbdConnection(channel, deadline);
        }
        channel.close();
      } catch (IOException e) {
        channel.close();
        if (deadline.passed() || !alive.getAsBoolean()) {
          throw e;
        }
      }
      checkTime(deadline);
      LockSupport.parkNanos(CONNECT_POLL_NANOS);
    }
  }

  /** Returns the buffer of received bytes that were not read yet; always the same one. */
  ByteBuffer in() {
    return in;
  }

  /** Waits until the buffer, which has room for 64 KiB, holds this many bytes. */
  void need(int bytes) throws IOException {
    if (in.remaining() >= bytes) {
      return;
    }
    in.compact();
    while (in.position() < bytes) {
      int count = channel.read(in);
      if (count < 0) {
        throw new EOFException("the connection ended");
      }
      if (count == 0) {
        pause();
      }
    }
    in.flip();
  }

  @SuppressWarnings("ThreadPriorityCheck") // It yields to QEMU.
  private void pause() throws IOException {
    checkTime();
    if (System.nanoTime() - awakeUntilNanos < 0) {
      Thread.yield();
      return;
    }
    Selector sleeping = selector;
    if (sleeping == null) {
      sleeping = Selector.open();
      selector = sleeping;
      channel.register(sleeping, SelectionKey.OP_READ);
    }
    sleeping.select(Math.max(1, deadline.remainingNanos() / 1_000_000));
    sleeping.selectedKeys().clear();
  }

  /** Sends all bytes. */
  void send(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (channel.write(bytes) == 0) {
        checkTime();
        LockSupport.parkNanos(FULL_POLL_NANOS);
      }
    }
  }

  /**
   * Ends a call that takes too long or was interrupted.
   *
   * @throws RametException {@code DEADLINE_EXCEEDED}, or {@code CANCELLED} when interrupted
   */
  void checkTime() {
    checkTime(deadline);
  }

  private static void checkTime(Deadline deadline) {
    if (deadline.passed()) {
      throw deadline.exceeded("reading a dirty bitmap");
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new RametException(ErrorCode.CANCELLED, "interrupted while reading a dirty bitmap");
    }
  }

  @Override
  public void close() {
    // The selector first, because it keeps the channel open.
    Qmp.closeQuietly(selector);
    Qmp.closeQuietly(channel);
  }
}
