// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.EventLoops;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A transparent proxy for those connections of one sandbox's guest that the kernel cannot decide
 * about. The kernel redirects them to a port of this server. They end with this process, and new
 * ones are then refused. Thread-safe.
 */
public final class ProxyServer implements AutoCloseable {
  /** The maximum number of concurrent connections of a sandbox; further ones are reset. */
  public static final int MAX_CONNECTIONS = 256;

  private static final int BACKLOG = 128;
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final OriginLookup origins;
  private final Dialer dialer;
  private final Map<Channel, GuestConnection> connections = new HashMap<>();
  private ConnectionPolicy policy;
  private boolean closed;
  private @Nullable Channel listener;

  private ProxyServer(OriginLookup origins, Dialer dialer, ConnectionPolicy policy) {
    this.origins = origins;
    this.dialer = dialer;
    this.policy = policy;
  }

  /**
   * Starts to listen on a port of 127.0.0.1.
   *
   * @param origins knows the original destinations of connections
   * @param lookup looks up the names that guests connect to
   * @param policy the sandbox's rules
   */
  public static ProxyServer open(OriginLookup origins, NameResolver lookup, ConnectionPolicy policy)
      throws IOException {
    ProxyServer server = new ProxyServer(origins, new Dialer(lookup), policy);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(EventLoops.group())
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, Dialer.singleReads())
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel guest) {
                    server.accept(guest);
                  }
                })
            .bind(InetAddress.getByAddress(LOOPBACK), 0)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("cannot listen on the loopback interface", bound.cause());
    }
    server.listener = bound.channel();
    return server;
  }

  /** Returns the port that it listens on. */
  public int port() {
    Channel bound = listener;
    return bound != null && bound.localAddress() instanceof InetSocketAddress address
        ? address.getPort()
        : 0;
  }

  OriginLookup origins() {
    return origins;
  }

  Dialer dialer() {
    return dialer;
  }

  private void accept(SocketChannel guest) {
    GuestConnection connection = new GuestConnection(this, guest);
    synchronized (this) {
      if (closed || connections.size() >= MAX_CONNECTIONS) {
        guest.eventLoop().execute(() -> ChannelStreams.reset(guest));
        return;
      }
      connections.put(guest, connection);
    }
    guest.closeFuture().addListener(ended -> connectionEnded(guest));
    // The channel becomes active after this.
    guest.eventLoop().execute(connection::start);
  }

  private synchronized void connectionEnded(Channel guest) {
    connections.remove(guest);
  }

  /** Returns the current rules. Decisions by them are made under this server's lock. */
  synchronized ConnectionPolicy policy() {
    return policy;
  }

  /** Changes the rules. Connections that the new rules do not allow are reset. */
  public void replacePolicy(ConnectionPolicy other) {
    Map<Channel, GuestConnection> refused;
    synchronized (this) {
      policy = other;
      refused = new HashMap<>(connections);
      refused.values().removeIf(connection -> connection.rules().isAllowedBy(other));
    }
    reset(refused);
  }

  private static void reset(Map<Channel, GuestConnection> connections) {
    connections.values().forEach(GuestConnection::resetLater);
    connections
        .keySet()
        .forEach(guest -> guest.closeFuture().awaitUninterruptibly(TIMEOUT.toMillis()));
  }

  /** Resets all connections and frees the port. Idempotent. */
  @Override
  public void close() {
    Map<Channel, GuestConnection> open;
    synchronized (this) {
      closed = true;
      open = new HashMap<>(connections);
    }
    Channel bound = listener;
    if (bound != null) {
      bound.close().awaitUninterruptibly(TIMEOUT.toMillis());
    }
    reset(open);
  }
}
