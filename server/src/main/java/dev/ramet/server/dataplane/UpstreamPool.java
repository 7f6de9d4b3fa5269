// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.server.dataplane.address.GuestEndpoint;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The connections to guests. An idle connection is kept a moment for the next request to the same
 * server. A rollback gives a sandbox a new address, so no connection is reused across one. Idle
 * connections belong to one event loop and are accessed by it alone.
 */
final class UpstreamPool {
  private static final int CONNECT_MILLIS = 5_000;

  /**
   * Time limit of the first attempt to connect; each further one gets twice as long. User-mode
   * networks let few connections wait: of many at once they drop some, and the kernel retries those
   * only after 1 s, 3 s and 7 s.
   */
  private static final int FIRST_ATTEMPT_MILLIS = 100;

  /** Shorter than the usual idle timeout of servers, so that this side closes first. */
  private static final int IDLE_MILLIS = 4_000;

  private static final int MAX_IDLE_PER_GUEST = 16;
  private static final int LINE_BYTES = 64 * 1024;
  private static final int HEADER_BYTES = 256 * 1024;
  private static final int CHUNK_BYTES = 64 * 1024;

  private final Map<EventLoop, Map<GuestEndpoint, Deque<Channel>>> idle = new ConcurrentHashMap<>();

  /** Returns an idle connection to this server, or null. */
  @Nullable Channel takeIdle(EventLoop loop, GuestEndpoint guest) {
    Deque<Channel> channels = idle(loop).get(guest);
    Channel found = null;
    while (found == null && channels != null && !channels.isEmpty()) {
      Channel candidate = channels.pop();
      if (candidate.isActive()) {
        found = candidate;
      }
    }
    if (channels != null && channels.isEmpty()) {
      idle(loop).remove(guest);
    }
    return found;
  }

  /** Opens a new connection in an event loop. It reads only when asked to. */
  Future<Channel> connect(EventLoop loop, GuestEndpoint guest) {
    Promise<Channel> connected = loop.newPromise();
    attempt(loop, guest, FIRST_ATTEMPT_MILLIS, CONNECT_MILLIS, connected);
    return connected;
  }

  private static void attempt(
      EventLoop loop, GuestEndpoint guest, int millis, int leftMillis, Promise<Channel> connected) {
    int limit = Math.min(millis, leftMillis);
    start(loop, guest, limit)
        .addListener(
            (ChannelFuture done) -> {
              if (done.isSuccess()) {
                ready(done.channel(), connected);
              } else if (done.cause() instanceof ConnectTimeoutException && leftMillis > limit) {
                attempt(loop, guest, 2 * limit, leftMillis - limit, connected);
              } else {
                connected.setFailure(done.cause());
              }
            });
  }

  /** Completes with a connection, after the TLS handshake if it speaks TLS. */
  private static void ready(Channel channel, Promise<Channel> connected) {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      connected.setSuccess(channel);
      return;
    }
    tls.handshakeFuture()
        .addListener(
            (Future<Channel> done) -> {
              if (done.isSuccess()) {
                connected.setSuccess(channel);
              } else {
                ChannelWrites.close(channel);
                connected.setFailure(toTlsError(done.cause()));
              }
            });
  }

  /** A server that closes the connection during the handshake does not speak TLS either. */
  private static Throwable toTlsError(Throwable cause) {
    if (cause instanceof SSLException) {
      return cause;
    }
    return new SSLException("no TLS", cause);
  }

  private static ChannelFuture start(EventLoop loop, GuestEndpoint guest, int millis) {
    return new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                if (guest.tls()) {
                  channel.pipeline().addLast(GuestTls.newHandler(channel, CONNECT_MILLIS));
                }
                channel
                    .pipeline()
                    .addLast(new HttpClientCodec(LINE_BYTES, HEADER_BYTES, CHUNK_BYTES))
                    .addLast(new UpstreamHandler());
              }
            })
        .connect(guest.address());
  }

  /** Keeps a connection for another request. */
  void release(Channel channel, GuestEndpoint guest) {
    Map<GuestEndpoint, Deque<Channel>> byGuest = idle(channel.eventLoop());
    Deque<Channel> channels = byGuest.computeIfAbsent(guest, g -> new ArrayDeque<>());
    if (!channel.isActive() || channels.size() >= MAX_IDLE_PER_GUEST) {
      ChannelWrites.close(channel);
      return;
    }
    channels.push(channel);
    channel.read(); // so that a close by the guest is noticed
    ChannelWrites.schedule(channel.eventLoop(), IDLE_MILLIS, () -> closeIfIdle(channel, guest));
  }

  /** Closes a connection if it is idle now. */
  private void closeIfIdle(Channel channel, GuestEndpoint guest) {
    Map<GuestEndpoint, Deque<Channel>> byGuest = idle(channel.eventLoop());
    Deque<Channel> channels = byGuest.get(guest);
    if (channels != null && channels.remove(channel)) {
      ChannelWrites.close(channel);
      if (channels.isEmpty()) {
        byGuest.remove(guest);
      }
    }
  }

  private Map<GuestEndpoint, Deque<Channel>> idle(EventLoop loop) {
    return idle.computeIfAbsent(loop, l -> new HashMap<>());
  }
}
