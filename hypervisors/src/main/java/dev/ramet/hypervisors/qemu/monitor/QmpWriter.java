// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.monitor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Writes whole commands to a monitor, one at a time. Thread-safe. */
final class QmpWriter {
  /** Poll interval while QEMU's queue is full, when it reads no further command. */
  private static final long FULL_POLL_NANOS = 1_000_000;

  private final WritableByteChannel channel;
  private final Runnable close;
  private final ReentrantLock writing = new ReentrantLock();

  /**
   * Writes to a channel that does not block, so that an interrupt does not close it.
   *
   * @param close closes the connection after part of a command was written, when nothing can follow
   */
  QmpWriter(WritableByteChannel channel, Runnable close) {
    this.channel = channel;
    this.close = close;
  }

  void write(ObjectNode message, String command, Deadline deadline) throws QmpException {
    try {
      if (!writing.tryLock(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS)) {
        throw new QmpException(QmpException.Kind.TIMEOUT, command + ": the monitor is busy");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QmpException(QmpException.Kind.INTERRUPTED, command + ": interrupted");
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Qmp.JSON.writeValueAsBytes(message));
      while (bytes.hasRemaining()) {
        if (channel.write(bytes) > 0) {
          continue;
        }
        if (deadline.passed()) {
          close.run();
          throw new QmpException(QmpException.Kind.TIMEOUT, command + ": QEMU does not read");
        }
        LockSupport.parkNanos(FULL_POLL_NANOS);
      }
    } catch (IOException e) {
      throw QmpException.closed(command);
    } finally {
      writing.unlock();
    }
  }
}
