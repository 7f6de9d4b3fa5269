// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.errors.RametException;
import dev.ramet.server.dataplane.address.Endpoints;
import dev.ramet.server.dataplane.address.GuestEndpoint;
import dev.ramet.server.dataplane.address.HostOnlyPaths;
import dev.ramet.server.dataplane.address.SandboxTarget;
import dev.ramet.server.dataplane.address.TrafficToken;
import dev.ramet.server.dataplane.address.UrlSignature;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One request to a guest and its response. The request's body is read from the client only as fast
 * as the guest accepts it; {@link GuestResponse} does the same in the other direction.
 */
final class ProxyExchange {
  /** How long the unneeded rest of a body is read before the connection is closed. */
  private static final int LINGER_MILLIS = 5_000;

  private final RequestRouter front;
  private final ChannelHandlerContext client;
  private final ClientRequest request;
  private final GuestLookup lookup;
  private final UpstreamPool upstreams;

  private @Nullable String token;
  private @Nullable GuestEndpoint guest;
  private @Nullable Channel upstream;
  private boolean upgrade;
  private boolean raw;

  /** The response is complete or has failed; the guest's connection belongs to others then. */
  private boolean ended;

  ProxyExchange(
      RequestRouter front,
      ChannelHandlerContext client,
      HttpRequest request,
      Endpoints endpoints,
      UpstreamPool upstreams) {
    this.front = front;
    this.client = client;
    this.request = new ClientRequest(request);
    this.lookup = new GuestLookup(endpoints, client.executor());
    this.upstreams = upstreams;
  }

  /** Starts a request that names no sandbox: the signature's access token identifies it. */
  void startSigned(UrlSignature signature) {
    lookup.signedBy(
        signature,
        found -> {
          if (found.isEmpty()) {
            refuseUnlessEnded(ProxyErrors.invalidSignature());
          } else if (!ended) {
            start(found.get());
          }
        },
        failure -> refuseUnlessEnded(ProxyErrors.error(failure)));
  }

  void start(SandboxTarget where) {
    raw = RawTunnel.isWanted(request.head(), new ClientConnection(client.channel()));
    if (HostOnlyPaths.matches(where, request.head()) || (raw && !RawTunnel.isAllowed(where))) {
      refuse(ProxyErrors.hostOnly());
      return;
    }
    if (raw && RawTunnel.hasBody(request.head())) {
      refuse(ProxyErrors.error(RametException.invalid("the request", "must have no body")));
      return;
    }
    try {
      token = TrafficToken.removeFrom(request.head().headers());
      upgrade =
          HopByHopHeaders.request(request.head(), where, new ClientConnection(client.channel()));
    } catch (RametException e) {
      refuse(ProxyErrors.error(e));
      return;
    }
    lookup.find(
        where,
        token,
        found -> {
          if (!ended) {
            onResolved(where, found);
          }
        },
        failure -> refuseUnlessEnded(ProxyErrors.unresolved(where, failure)));
  }

  private void onResolved(SandboxTarget where, GuestEndpoint found) {
    guest = found;
    if (raw) {
      connect(where, RawTunnel.plain(found));
      return;
    }
    if (found.host() != null) {
      request.head().headers().set(HttpHeaderNames.HOST, found.host());
    }
    Channel idle = upstreams.takeIdle(client.channel().eventLoop(), found);
    if (idle == null) {
      connect(where, found);
    } else {
      attach(where, idle, true);
    }
  }

  private void connect(SandboxTarget where, GuestEndpoint to) {
    upstreams
        .connect(client.channel().eventLoop(), to)
        .addListener(
            (Future<Channel> done) -> {
              if (!done.isSuccess()) {
                refuseUnlessEnded(ProxyErrors.connectFailed(where, done.cause()));
              } else if (ended) {
                ChannelWrites.close(done.getNow());
              } else if (raw) {
                ChannelWrites.writeAndFlush(client, RawTunnel.switching(request.head()));
                tunnel(done.getNow());
              } else {
                attach(where, done.getNow(), false);
              }
            });
  }

  private void attach(SandboxTarget where, Channel channel, boolean reused) {
    upstream = channel;
    channel
        .pipeline()
        .get(UpstreamHandler.class)
        .use(new GuestResponse(this, where, channel, reused));
    request.start(channel);
    channel.read();
    readClient();
  }

  /** Sends the request again over a new connection; possible only while no body was sent. */
  void retry(SandboxTarget where) {
    upstream = null;
    request.hold(LastHttpContent.EMPTY_LAST_CONTENT);
    if (guest != null) {
      connect(where, guest);
    }
  }

  /** Responds with the engine's reason why a guest stopped responding, or with a given response. */
  void refuseAfterLookup(SandboxTarget where, FullHttpResponse otherwise) {
    upstream = null;
    lookup.find(
        where,
        token,
        found -> refuseUnlessEnded(otherwise),
        failure -> {
          otherwise.release();
          refuseUnlessEnded(ProxyErrors.unresolved(where, failure));
        });
  }

  private void refuseUnlessEnded(FullHttpResponse response) {
    if (ended) {
      response.release();
    } else {
      refuse(response);
    }
  }

  /** Sends this response to the client and releases the guest's connection, if any. */
  void refuse(FullHttpResponse response) {
    boolean keep = request.mayKeepAlive();
    request.announce(response);
    ChannelWrites.writeAndFlush(client, response);
    if (upstream != null) {
      ChannelWrites.close(upstream);
    }
    finish(keep);
  }

  /** Ends the exchange after its response was written. */
  void finish(boolean keepClient) {
    ended = true;
    upstream = null;
    request.release();
    if (!keepClient) {
      closeOnceRead();
    } else {
      front.finished(client);
    }
  }

  /**
   * Closes a connection whose client may still be sending. Closing at once would make the kernel
   * reset it, and the client could lose the response.
   */
  private void closeOnceRead() {
    if (request.isComplete()) {
      ChannelWrites.closeAfterFlush(client);
      return;
    }
    ChannelWrites.schedule(client.executor(), LINGER_MILLIS, () -> ChannelWrites.close(client));
    client.read();
  }

  /** Handles a guest that went within its response: the client must not take it for complete. */
  void reset() {
    ended = true;
    upstream = null;
    request.release();
    new ClientConnection(client.channel()).markIncomplete();
    ChannelWrites.close(client);
  }

  /** Switches to a tunnel after the response that agrees to it was written. */
  void tunnel(Channel channel) {
    ended = true;
    upstream = null;
    request.release();
    Tunnel bytes = RawTunnel.between(raw, request.head(), client, channel);
    front.tunnel(bytes);
    bytes.start();
  }

  /** Makes the guest's connection available for other requests, or closes it. */
  void release(Channel channel, boolean reusable) {
    channel.pipeline().get(UpstreamHandler.class).use(null);
    if (reusable && request.isComplete() && guest != null) {
      upstreams.release(channel, guest);
    } else {
      ChannelWrites.close(channel);
    }
  }

  void clientRead(HttpContent content) {
    if (!request.arrived(content)) {
      content.release();
      ChannelWrites.close(client);
    } else if (ended) {
      content.release();
      if (request.isComplete()) {
        closeOnceRead();
      }
    } else if (upstream != null) {
      request.send(upstream, content);
    } else {
      request.hold(content);
    }
  }

  void clientReadComplete() {
    if (upstream != null) {
      upstream.flush();
    }
    readClient();
  }

  /**
   * Reads more if there is room; after the body, reads only to notice that the client disconnects.
   */
  void readClient() {
    boolean room = upstream != null && upstream.isWritable();
    if (ended || (request.isComplete() ? !front.hasHeld() : room)) {
      client.read();
    }
  }

  void clientWritable() {
    if (upstream != null && client.channel().isWritable()) {
      upstream.read();
    }
  }

  void clientGone() {
    ended = true;
    request.release();
    if (upstream != null) {
      ChannelWrites.close(upstream);
      upstream = null;
    }
  }

  ChannelHandlerContext client() {
    return client;
  }

  ClientRequest request() {
    return request;
  }

  boolean wantsUpgrade() {
    return upgrade;
  }
}
