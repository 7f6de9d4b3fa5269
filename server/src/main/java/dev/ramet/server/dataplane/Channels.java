// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Writes and closes whose outcome nobody waits for: a write that fails closes the channel, and
 * every handler hears of a close. A close through a handler's context starts before that handler.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the outcome is heard as said above
final class Channels {
  private Channels() {}

  static void write(ChannelOutboundInvoker to, Object message) {
    to.write(message).addListener(done -> closeUnless(done.isSuccess(), to));
  }

  static void writeAndFlush(ChannelOutboundInvoker to, Object message) {
    write(to, message);
    to.flush();
  }

  /** Passes on what another handler wrote, which looks after the outcome itself. */
  static void pass(ChannelOutboundInvoker to, Object message, ChannelPromise promise) {
    to.write(message, promise);
  }

  static void close(ChannelOutboundInvoker to, ChannelPromise promise) {
    to.close(promise);
  }

  static void close(ChannelOutboundInvoker to) {
    to.close();
  }

  /** Closes once everything that was written has gone out. */
  static void closeAfterFlush(ChannelOutboundInvoker to) {
    to.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> to.close());
  }

  static void later(EventExecutor executor, int millis, Runnable action) {
    executor.schedule(action, millis, TimeUnit.MILLISECONDS);
  }

  private static void closeUnless(boolean success, ChannelOutboundInvoker to) {
    if (!success) {
      to.close();
    }
  }
}
