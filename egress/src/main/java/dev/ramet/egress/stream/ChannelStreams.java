// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.stream;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Operations on channels. Handlers see the outcome: a failure closes the channel or arrives as an
 * exception. Called on the channel's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored")
public final class ChannelStreams {
  private static final System.Logger LOG = System.getLogger(ChannelStreams.class.getName());

  private ChannelStreams() {}

  /** Writes without flushing. */
  public static void write(Channel channel, Object message) {
    channel.write(message, channel.voidPromise());
  }

  /** Ends the output permanently: after the closing message of TLS, the connection ends too. */
  static void endConnection(Channel channel) {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      endOutput(channel);
    } else {
      channel.flush();
      tls.closeOutbound().addListener(closed -> shutdown(channel));
    }
  }

  private static void shutdown(Channel channel) {
    if (channel instanceof DuplexChannel duplex && channel.isActive()) {
      duplex.shutdownOutput();
    }
  }

  /** Closes after everything written has been sent. */
  public static void closeAfterWrites(Channel channel) {
    channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> channel.close());
  }

  /** Closes gracefully, but drops data that was not sent yet. */
  public static void close(Channel channel) {
    channel.close();
  }

  /** Runs an action later, unless the action is cancelled or the channel is closed by then. */
  public static Future<?> schedule(Channel channel, Duration time, Runnable action) {
    return channel
        .eventLoop()
        .schedule(
            () -> {
              if (channel.isOpen()) {
                action.run();
              }
            },
            time.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** Returns the cause of a failed stage of a {@link java.util.concurrent.CompletableFuture}. */
  public static @Nullable Throwable cause(@Nullable Throwable e) {
    return e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
  }

  /** Ends the output after everything written; the other side may still send. */
  public static void endOutput(Channel channel) {
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            written -> {
              SslHandler tls = channel.pipeline().get(SslHandler.class);
              if (tls != null) {
                tls.closeOutbound();
              } else {
                shutdown(channel);
              }
            });
  }

  /** Closes at once; the other side sees a reset, even within TLS. */
  public static void reset(Channel channel) {
    if (channel.isOpen()) {
      try {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
      } catch (ChannelException e) {
        LOG.log(System.Logger.Level.TRACE, "the other side has closed it already", e);
      }
      channel.unsafe().close(channel.voidPromise());
    }
  }

  /**
   * Replaces all handlers except that of TLS. Bytes that a decoder has not read go to the new
   * handlers.
   *
   * @param handlers the new handlers, in order
   */
  public static void replaceHandlers(Channel channel, ChannelHandler... handlers) {
    ChannelPipeline pipeline = channel.pipeline();
    List<ChannelHandler> before =
        pipeline.toMap().entrySet().stream().map(Map.Entry::getValue).toList();
    pipeline.addLast(handlers);
    // From the end, so that no data passes a handler that is about to be removed.
    for (int i = before.size() - 1; i >= 0; i--) {
      if (!(before.get(i) instanceof SslHandler)) {
        pipeline.remove(before.get(i));
      }
    }
  }
}
