// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

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
 * Connections to guests. An idle one waits a moment for the next request to the same server; since
 * a rollback gives a sandbox a new address, none is ever used across one. Idle connections belong
 * to an event loop and are touched in it alone.
 */
final class Upstreams {
  private static final int CONNECT_MILLIS = 5_000;

  /**
   * How long the first attempt lasts, each further one twice as long. Where connections are taken
   * by a user-mode network, few may wait there: of many at once it drops some, and the kernel tries
   * those again only after 1 s, 3 s and 7 s.
   */
  private static final int FIRST_ATTEMPT_MILLIS = 100;

  /** Shorter than servers commonly keep idle connections, so that ours end first. */
  private static final int IDLE_MILLIS = 4_000;

  private static final int MOST_IDLE_PER_GUEST = 16;
  private static final int LINE_BYTES = 64 * 1024;
  private static final int HEADER_BYTES = 256 * 1024;
  private static final int CHUNK_BYTES = 64 * 1024;

  private final Map<EventLoop, Map<GuestEndpoint, Deque<Channel>>> idle = new ConcurrentHashMap<>();

  /** An idle connection to this server, or null. */
  @Nullable Channel poll(EventLoop loop, GuestEndpoint guest) {
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

  /** A new connection, in the given event loop; reads only when told to. */
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

  /** Tells of a connection once TLS is agreed upon, where it is spoken. */
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
                Channels.close(channel);
                connected.setFailure(unspoken(done.cause()));
              }
            });
  }

  /** A server that hangs up on a greeting does not speak TLS either. */
  private static Throwable unspoken(Throwable cause) {
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
                  channel.pipeline().addLast(GuestTls.on(channel, CONNECT_MILLIS));
                }
                channel
                    .pipeline()
                    .addLast(new HttpClientCodec(LINE_BYTES, HEADER_BYTES, CHUNK_BYTES))
                    .addLast(new UpstreamHandler());
              }
            })
        .connect(guest.address());
  }

  /** Takes a connection back for another request. */
  void release(Channel channel, GuestEndpoint guest) {
    Map<GuestEndpoint, Deque<Channel>> byGuest = idle(channel.eventLoop());
    Deque<Channel> channels = byGuest.computeIfAbsent(guest, g -> new ArrayDeque<>());
    if (!channel.isActive() || channels.size() >= MOST_IDLE_PER_GUEST) {
      Channels.close(channel);
      return;
    }
    channels.push(channel);
    channel.read(); // so that the guest's closing it is noticed
    Channels.later(channel.eventLoop(), IDLE_MILLIS, () -> expire(channel, guest));
  }

  /** Closes a connection that lay idle; one that was used meanwhile is not found, or lives on. */
  private void expire(Channel channel, GuestEndpoint guest) {
    Map<GuestEndpoint, Deque<Channel>> byGuest = idle(channel.eventLoop());
    Deque<Channel> channels = byGuest.get(guest);
    if (channels != null && channels.remove(channel)) {
      Channels.close(channel);
      if (channels.isEmpty()) {
        byGuest.remove(guest);
      }
    }
  }

  private Map<GuestEndpoint, Deque<Channel>> idle(EventLoop loop) {
    return idle.computeIfAbsent(loop, l -> new HashMap<>());
  }
}
