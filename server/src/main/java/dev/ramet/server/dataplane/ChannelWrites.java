// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Writes to channels and closes them without waiting for the outcome: a failed write closes the
 * channel, and every handler is notified of a close. A close through a handler's context starts
 * before that handler.
 */
@SuppressWarnings("FutureReturnValueIgnored") // handlers are notified, see above
final class ChannelWrites {
  private ChannelWrites() {}

  static void write(ChannelOutboundInvoker to, Object message) {
    to.write(message).addListener(done -> closeUnless(done.isSuccess(), to));
  }

  static void writeAndFlush(ChannelOutboundInvoker to, Object message) {
    write(to, message);
    to.flush();
  }

  /** Forwards a message of another handler, which checks the outcome itself. */
  static void forward(ChannelOutboundInvoker to, Object message, ChannelPromise promise) {
    to.write(message, promise);
  }

  static void close(ChannelOutboundInvoker to, ChannelPromise promise) {
    to.close(promise);
  }

  static void close(ChannelOutboundInvoker to) {
    to.close();
  }

  /** Closes after all pending writes are sent. */
  static void closeAfterFlush(ChannelOutboundInvoker to) {
    to.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> to.close());
  }

  /** Ends the output after all pending writes are sent; the input stays open. */
  static void shutdownOutputAfterFlush(DuplexChannel to) {
    to.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> to.shutdownOutput());
  }

  static void schedule(EventExecutor executor, int millis, Runnable action) {
    executor.schedule(action, millis, TimeUnit.MILLISECONDS);
  }

  private static void closeUnless(boolean success, ChannelOutboundInvoker to) {
    if (!success) {
      to.close();
    }
  }
}
