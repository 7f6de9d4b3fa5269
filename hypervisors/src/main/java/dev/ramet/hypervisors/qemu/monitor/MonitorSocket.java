// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.monitor;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Connects to the monitor of a QEMU that may still be starting. */
final class MonitorSocket {
  /**
   * Poll interval; the socket appears some milliseconds after the process start, without any event.
   */
  private static final long CONNECT_POLL_NANOS = 200_000;

  private MonitorSocket() {}

  /**
   * Connects, waiting for the socket to appear. Returns a non-blocking channel.
   *
   * @param alive whether it still makes sense to wait
   */
  static SocketChannel open(Path socket, BooleanSupplier alive, Deadline deadline)
      throws QmpException {
    while (true) {
      try {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
          // A blocking call would wait forever for a listener that no longer accepts connections. A
          // non-blocking connect(2) of a unix socket then fails at once and does not continue in
          // the background.
          channel.configureBlocking(false);
          if (channel.connect(UnixDomainSocketAddress.of(socket))) {
            return channel;
          }
        } catch (IOException e) {
          // There is no listener yet.
        }
        channel.close();
      } catch (IOException e) {
        throw new QmpException(QmpException.Kind.CLOSED, "no monitor socket: " + e.getMessage());
      }
      if (!alive.getAsBoolean()) {
        throw new QmpException(
            QmpException.Kind.CLOSED, "the process ended before its monitor answered");
      }
      if (deadline.passed()) {
        throw new QmpException(QmpException.Kind.TIMEOUT, "the monitor did not appear");
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new QmpException(
            QmpException.Kind.INTERRUPTED, "interrupted before the monitor answered");
      }
      LockSupport.parkNanos(CONNECT_POLL_NANOS);
    }
  }
}
