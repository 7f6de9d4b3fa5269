// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import dev.ramet.egress.message.BadHttpException;
import dev.ramet.egress.message.ConnectionOpening;
import dev.ramet.egress.message.LocalResponse;
import dev.ramet.egress.message.OpeningReader;
import dev.ramet.egress.message.RequestDecoder;
import dev.ramet.egress.message.RequestHeads;
import dev.ramet.egress.rule.HostPatterns;
import dev.ramet.egress.stream.ByteForwarder;
import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.InterceptedConnection;
import dev.ramet.egress.stream.LingeringClose;
import io.netty.channel.Channel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.flow.FlowControlHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One connection of a guest, from its first bytes to its end. Used on the guest's event loop. */
final class GuestConnection implements InterceptedConnection {
  private static final System.Logger LOG = System.getLogger(GuestConnection.class.getName());

  private final ProxyServer server;
  private final SocketChannel guest;
  private final List<Channel> hosts = new ArrayList<>();
  private boolean ended;
  private final ConnectionRules rules;
  private int endedSides;

  GuestConnection(ProxyServer server, SocketChannel guest) {
    this.server = server;
    this.guest = guest;
    this.rules = new ConnectionRules(server);
  }

  ConnectionRules rules() {
    return rules;
  }

  /** Checks the name of a request. */
  interface HostCheck {
    /**
     * Refuses a request unless it may pass.
     *
     * @param name of the host; null if the request is for an address or anything else
     */
    void check(@Nullable String name) throws RefusedException;
  }

  void start() {
    runGuarded(
        () -> {
          OriginalDestination to = server.origins().takeOrigin(guest.remoteAddress().getPort());
          if (to == null) {
            throw new RefusedException("a connection that was not opened by a guest");
          }
          serve(to);
        });
  }

  private interface Step {
    void run() throws IOException;
  }

  private void runGuarded(Step work) {
    try {
      work.run();
    } catch (IOException | RuntimeException e) {
      failed(e);
    }
  }

  private void failed(Throwable e) {
    LOG.log(System.Logger.Level.DEBUG, "a connection of a guest ends", e);
    reset();
  }

  private void serve(OriginalDestination to) throws IOException {
    ConnectionRules.Way way = rules.start(to);
    if (way == ConnectionRules.Way.BY_ADDRESS) {
      whenConnected(connectTo(to), this::forwardBytes);
      return;
    }
    boolean reached = way == ConnectionRules.Way.LOOK_AT_ALLOWED;
    guest
        .pipeline()
        .addLast(new OpeningReader(opening -> runGuarded(() -> decide(opening, reached))));
  }

  private void decide(ConnectionOpening opening, boolean reached) throws IOException {
    String name = opening.name();
    HttpRequest head = opening.head();
    RequestInterceptor interceptor = rules.interceptor(name, reached);
    if (interceptor != null && name != null) {
      interceptor.intercept(name, opening.tls(), this);
    } else if (reached) {
      // A later request may need the request rules: the guest then sends it again on another
      // connection.
      whenConnected(
          connectTo(rules.allowAddress()),
          head != null && RequestHeads.keepsHost(head)
              ? upstream -> forwardRequests(head, upstream, rules::requireNotIntercepted)
              : this::forwardBytes);
    } else if (head != null) {
      forwardByName(head, name);
    } else if (opening.problem() instanceof BadHttpException bad) {
      respond(LocalResponse.forError(bad));
    } else {
      rules.allowName(name);
      whenConnected(connect(String.valueOf(name)), this::forwardBytes);
    }
  }

  private void forwardByName(HttpRequest head, @Nullable String name) {
    try {
      RequestForwarder.check(head);
      rules.allowName(name);
    } catch (BadHttpException e) {
      respond(LocalResponse.forError(e));
      return;
    } catch (RefusedException e) {
      respond(response(head, HttpResponseStatus.FORBIDDEN, e.getMessage()));
      return;
    }
    var unused =
        connect(String.valueOf(name))
            .whenComplete(
                (upstream, e) -> {
                  if (e == null) {
                    runGuarded(() -> forwardRequests(head, upstream, rules::allowName));
                  } else if (ChannelStreams.cause(e) instanceof RefusedException refused) {
                    respond(response(head, HttpResponseStatus.FORBIDDEN, refused.getMessage()));
                  } else {
                    LOG.log(System.Logger.Level.DEBUG, "cannot connect to upstream", e);
                    String text = name + " cannot be reached from this sandbox";
                    respond(response(head, HttpResponseStatus.BAD_GATEWAY, text));
                  }
                });
  }

  private static LocalResponse response(
      HttpRequest head, HttpResponseStatus status, @Nullable String text) {
    return new LocalResponse(status, String.valueOf(text), head.method().equals(HttpMethod.HEAD));
  }

  private void respond(LocalResponse response) {
    ChannelStreams.write(guest, response.bytes());
    finish();
  }

  private CompletableFuture<Channel> connectTo(OriginalDestination to) {
    return server
        .dialer()
        .address(rules.decidingPolicy(), to.address(), to.port(), guest.eventLoop())
        .thenApply(this::closeWithGuest);
  }

  @Override
  public CompletableFuture<Channel> connect(String name) {
    String normal = HostPatterns.normalize(name);
    if (normal == null) {
      return CompletableFuture.failedFuture(new RefusedException("not a host name: " + name));
    }
    ConnectionPolicy by = rules.decidingPolicy();
    return server
        .dialer()
        .name(by, normal, rules.origin().port(), guest.eventLoop())
        .thenApply(
            upstream -> {
              boolean direct = by.upstream() == null;
              rules.connected(
                  direct && upstream.remoteAddress() instanceof InetSocketAddress there
                      ? there.getAddress()
                      : null);
              return closeWithGuest(upstream);
            });
  }

  /** Closes the upstream connection together with this one. */
  private Channel closeWithGuest(Channel upstream) {
    if (ended) {
      ChannelStreams.reset(upstream);
      throw new CompletionException(new RefusedException("the connection has ended"));
    }
    hosts.add(upstream);
    upstream.closeFuture().addListener(closed -> hosts.remove(upstream));
    return upstream;
  }

  private void whenConnected(CompletableFuture<Channel> connected, Consumer<Channel> next) {
    var unused =
        connected.whenComplete(
            (upstream, e) -> {
              if (e == null) {
                runGuarded(() -> next.accept(upstream));
              } else {
                failed(e);
              }
            });
  }

  private void forwardRequests(HttpRequest first, Channel upstream, HostCheck names) {
    RequestForwarder requests = new RequestForwarder(this, upstream, names, first);
    ChannelStreams.replaceHandlers(
        guest, new RequestDecoder(requests::maySwitch), new FlowControlHandler(), requests);
  }

  /** Forwards bytes both ways until both sides have ended. */
  void forwardBytes(Channel upstream) {
    ChannelStreams.replaceHandlers(upstream, new ByteForwarder(guest, this));
    ChannelStreams.replaceHandlers(guest, new ByteForwarder(upstream, this));
  }

  @Override
  public Channel guest() {
    return guest;
  }

  @Override
  public void sideEnded() {
    if (++endedSides == 2 && !ended) {
      ended = true;
      List.copyOf(hosts).forEach(ChannelStreams::closeAfterWrites);
      ChannelStreams.closeAfterWrites(guest);
    }
  }

  @Override
  public void finish() {
    if (!ended) {
      ended = true;
      List.copyOf(hosts).forEach(ChannelStreams::close);
      LingeringClose.start(guest);
    }
  }

  @Override
  public void reset() {
    ended = true;
    List.copyOf(hosts).forEach(ChannelStreams::reset);
    ChannelStreams.reset(guest);
  }

  /** Resets the connection; may be called from any thread. */
  void resetLater() {
    guest.eventLoop().execute(this::reset);
  }
}
