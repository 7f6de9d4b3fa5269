// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import dev.ramet.egress.rule.UpstreamProxy;
import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.EventLoops;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.proxy.Socks5ProxyHandler;
import io.netty.resolver.NoopAddressResolverGroup;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Connects to hosts on behalf of guests, as their rules say: directly, or only through their proxy.
 * Thread-safe.
 */
final class Dialer {
  private static final int CONNECT_MILLIS = (int) Duration.ofSeconds(15).toMillis();
  private static final int PROXY_MILLIS = (int) Duration.ofSeconds(30).toMillis();
  private static final int MAX_READ_BYTES = 64 << 10;

  private final NameResolver lookup;

  Dialer(NameResolver lookup) {
    this.lookup = lookup;
  }

  /** One read at a time: bytes that were read must be buffered while the other side is slow. */
  static AdaptiveRecvByteBufAllocator singleReads() {
    AdaptiveRecvByteBufAllocator allocator =
        new AdaptiveRecvByteBufAllocator(1 << 10, 4 << 10, MAX_READ_BYTES);
    allocator.maxMessagesPerRead(1);
    return allocator;
  }

  /** Connects to an address that the rules allow. */
  CompletableFuture<Channel> address(
      ConnectionPolicy policy, InetAddress address, int port, EventLoop loop) {
    return connectAddresses(policy, List.of(address), new InetSocketAddress(address, port), loop);
  }

  /**
   * Connects to a name. An allowed name is looked up here or by the proxy; for any other name, only
   * the addresses that the rules allow are used.
   *
   * @param name in lower case, without a trailing dot
   */
  CompletableFuture<Channel> name(ConnectionPolicy policy, String name, int port, EventLoop loop) {
    boolean allowed = policy.names().matches(name);
    if (policy.upstream() != null && allowed) {
      return connectAddresses(
          policy, List.of(), InetSocketAddress.createUnresolved(name, port), loop);
    }
    return addresses(name, loop)
        .thenCompose(
            addresses -> {
              List<InetAddress> fit =
                  addresses.stream()
                      .filter(one -> allowed ? !policy.never().test(one) : policy.mayReach(one))
                      .toList();
              return fit.isEmpty()
                  ? CompletableFuture.failedFuture(
                      new RefusedException(
                          allowed
                              ? "guests on this host may not reach the addresses of " + name
                              : "the rules of this sandbox do not allow " + name))
                  : connectAddresses(policy, fit, new InetSocketAddress(fit.get(0), port), loop);
            });
  }

  private CompletableFuture<List<InetAddress>> addresses(String name, EventLoop loop) {
    CompletableFuture<List<InetAddress>> found = new CompletableFuture<>();
    EventLoops.blocking()
        .execute(
            () -> {
              try {
                List<InetAddress> addresses = lookup.resolve(name);
                loop.execute(() -> found.complete(addresses));
              } catch (Exception e) {
                loop.execute(() -> found.completeExceptionally(e));
              }
            });
    return found;
  }

  /**
   * Connects to one of the addresses, or through the proxy.
   *
   * @param asked the address to request from the proxy
   */
  private CompletableFuture<Channel> connectAddresses(
      ConnectionPolicy policy,
      List<InetAddress> addresses,
      InetSocketAddress asked,
      EventLoop loop) {
    UpstreamProxy proxy = policy.upstream();
    if (proxy == null) {
      return direct(policy, addresses, asked.getPort(), loop, new ConnectException("no answer"));
    }
    return addresses(proxy.host(), loop)
        .thenCompose(
            found -> {
              List<InetAddress> fit =
                  found.stream().filter(one -> !policy.never().test(one)).toList();
              return fit.isEmpty()
                  ? CompletableFuture.failedFuture(
                      new RefusedException("guests may not reach the address of their proxy"))
                  : through(proxy, fit, asked, loop);
            });
  }

  private static CompletableFuture<Channel> direct(
      ConnectionPolicy policy,
      List<InetAddress> addresses,
      int port,
      EventLoop loop,
      Exception failure) {
    if (addresses.isEmpty()) {
      return CompletableFuture.failedFuture(failure);
    }
    InetAddress address = addresses.get(0);
    if (policy.never().test(address)) {
      return CompletableFuture.failedFuture(
          new RefusedException("guests on this host may not reach this address"));
    }
    return open(new InetSocketAddress(address, port), null, loop)
        .exceptionallyCompose(
            e -> {
              failure.addSuppressed(e);
              return direct(policy, addresses.subList(1, addresses.size()), port, loop, failure);
            });
  }

  private static CompletableFuture<Channel> through(
      UpstreamProxy proxy, List<InetAddress> at, InetSocketAddress asked, EventLoop loop) {
    Socks5ProxyHandler socks =
        new Socks5ProxyHandler(
            new InetSocketAddress(at.get(0), proxy.port()),
            bytes(proxy.username()),
            bytes(proxy.password()));
    socks.setConnectTimeoutMillis(PROXY_MILLIS);
    CompletableFuture<Channel> connected = open(asked, socks, loop);
    return at.size() == 1
        ? connected
        : connected.exceptionallyCompose(
            e -> through(proxy, at.subList(1, at.size()), asked, loop));
  }

  /** The handler writes each character as one byte, but the proxy expects UTF-8. */
  private static @Nullable String bytes(@Nullable String text) {
    return text == null
        ? null
        : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  private static CompletableFuture<Channel> open(
      InetSocketAddress to, @Nullable Socks5ProxyHandler socks, EventLoop loop) {
    CompletableFuture<Channel> opened = new CompletableFuture<>();
    new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .resolver(NoopAddressResolverGroup.INSTANCE)
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
        .option(ChannelOption.RECVBUF_ALLOCATOR, singleReads())
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                if (socks != null) {
                  channel.pipeline().addLast(socks);
                }
                // Holds bytes from the host until its handlers are added.
                channel.pipeline().addLast(new FlowControlHandler(), new DialingHandler(opened));
              }
            })
        .connect(to)
        .addListener(
            (io.netty.channel.ChannelFuture connected) -> {
              if (!connected.isSuccess()) {
                opened.completeExceptionally(connected.cause());
              } else if (socks == null) {
                opened.complete(connected.channel());
              } else {
                socks
                    .connectFuture()
                    .addListener(
                        asked -> {
                          if (asked.isSuccess()) {
                            opened.complete(connected.channel());
                          } else {
                            ChannelStreams.close(connected.channel());
                            opened.completeExceptionally(asked.cause());
                          }
                        });
              }
            });
    return opened;
  }
}
