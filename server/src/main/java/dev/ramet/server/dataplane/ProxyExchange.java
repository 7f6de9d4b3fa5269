// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.dataplane.address.Endpoints;
import dev.ramet.server.dataplane.address.GuestEndpoint;
import dev.ramet.server.dataplane.address.HostOnly;
import dev.ramet.server.dataplane.address.Signature;
import dev.ramet.server.dataplane.address.Target;
import dev.ramet.server.dataplane.address.TrafficToken;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionException;
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
  private final HttpRequest request;
  private final HttpVersion clientVersion;
  private final boolean clientKeepAlive;
  private final Endpoints endpoints;
  private final Upstreams upstreams;

  /** Body content that arrived before the guest was connected. */
  private final Deque<HttpContent> early = new ArrayDeque<>();

  private @Nullable String token;
  private @Nullable GuestEndpoint guest;
  private @Nullable Channel upstream;
  private boolean upgrade;
  private boolean bodySent;
  private boolean requestComplete;

  /**
   * The response is complete or has failed; the guest's connection no longer belongs to this
   * exchange.
   */
  private boolean ended;

  ProxyExchange(
      RequestRouter front,
      ChannelHandlerContext client,
      HttpRequest request,
      Endpoints endpoints,
      Upstreams upstreams) {
    this.front = front;
    this.client = client;
    this.request = request;
    this.clientVersion = request.protocolVersion();
    this.clientKeepAlive = HttpUtil.isKeepAlive(request);
    this.endpoints = endpoints;
    this.upstreams = upstreams;
  }

  /** Starts a request that names no sandbox: the signature's access token identifies it. */
  void startSigned(Signature signature) {
    endpoints
        .signedBy(signature)
        .whenComplete(
            (found, failure) ->
                client
                    .executor()
                    .execute(
                        () -> {
                          if (ended) {
                            return;
                          }
                          if (found == null) {
                            refuse(ProxyErrors.error(known(failure)));
                          } else if (found.isEmpty()) {
                            refuse(ProxyErrors.invalidSignature());
                          } else {
                            start(found.get());
                          }
                        }));
  }

  void start(Target where) {
    if (HostOnly.is(where, request)) {
      refuse(ProxyErrors.hostOnly());
      return;
    }
    try {
      token = TrafficToken.take(request.headers());
      upgrade = HopHeaders.request(request, where, new ClientSide(client.channel()));
    } catch (RametException e) {
      refuse(ProxyErrors.error(e));
      return;
    }
    endpoints
        .find(where, token)
        .whenComplete(
            (found, failure) -> client.executor().execute(() -> resolved(where, found, failure)));
  }

  private void resolved(Target where, @Nullable GuestEndpoint found, @Nullable Throwable failure) {
    if (ended) {
      return;
    }
    if (found == null) {
      refuse(ProxyErrors.unresolved(where, known(failure)));
      return;
    }
    guest = found;
    if (found.host() != null) {
      request.headers().set(HttpHeaderNames.HOST, found.host());
    }
    Channel idle = upstreams.poll(client.channel().eventLoop(), found);
    if (idle == null) {
      connect(where, found);
    } else {
      attach(where, idle, true);
    }
  }

  static RametException known(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof RametException known
        ? known
        : new RametException(ErrorCode.INTERNAL, "the engine failed", cause);
  }

  private void connect(Target where, GuestEndpoint to) {
    upstreams
        .connect(client.channel().eventLoop(), to)
        .addListener(
            (Future<Channel> done) -> {
              if (!done.isSuccess()) {
                if (!ended) {
                  refuse(ProxyErrors.unconnected(where, done.cause()));
                }
              } else if (ended) {
                Channels.close(done.getNow());
              } else {
                attach(where, done.getNow(), false);
              }
            });
  }

  private void attach(Target where, Channel channel, boolean reused) {
    upstream = channel;
    channel
        .pipeline()
        .get(UpstreamHandler.class)
        .use(new GuestResponse(this, where, channel, reused));
    Channels.write(channel, request);
    while (!early.isEmpty()) {
      send(channel, early.poll());
    }
    channel.flush();
    channel.read();
    readClient();
  }

  private void send(Channel channel, HttpContent content) {
    bodySent |= content.content().isReadable();
    Channels.write(channel, content);
  }

  /** Sends the request again over a new connection; possible only while no body was sent. */
  void retry(Target where) {
    upstream = null;
    early.add(LastHttpContent.EMPTY_LAST_CONTENT);
    if (guest != null) {
      connect(where, guest);
    }
  }

  /** Returns whether the request is idempotent, and its body is known to be empty. */
  boolean isRepeatable() {
    return requestComplete
        && !bodySent
        && (request.method().name().equals("GET") || request.method().name().equals("HEAD"));
  }

  /** Responds with the engine's reason why a guest stopped responding, or with a given response. */
  void refuseAfterLookup(Target where, FullHttpResponse otherwise) {
    upstream = null;
    endpoints
        .find(where, token)
        .whenComplete(
            (found, failure) ->
                client
                    .executor()
                    .execute(
                        () -> {
                          if (ended) {
                            otherwise.release();
                          } else if (found == null) {
                            otherwise.release();
                            refuse(ProxyErrors.unresolved(where, known(failure)));
                          } else {
                            refuse(otherwise);
                          }
                        }));
  }

  /** Sends this response to the client and releases the guest's connection, if any. */
  void refuse(FullHttpResponse response) {
    boolean keep = clientKeepAlive && requestComplete;
    if (!keep) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!clientVersion.equals(HttpVersion.HTTP_1_1)) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
    Channels.writeAndFlush(client, response);
    if (upstream != null) {
      Channels.close(upstream);
    }
    end(keep);
  }

  /** Ends the exchange after its response was written. */
  void end(boolean keepClient) {
    ended = true;
    upstream = null;
    releaseEarly();
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
    if (requestComplete) {
      Channels.closeAfterFlush(client);
      return;
    }
    Channels.later(client.executor(), LINGER_MILLIS, () -> Channels.close(client));
    client.read();
  }

  /**
   * Handles a guest that disappeared within its response: the client must not take it for complete.
   */
  void reset() {
    ended = true;
    upstream = null;
    releaseEarly();
    new ClientSide(client.channel()).spoil();
    Channels.close(client);
  }

  /**
   * Switches to a tunnel after the guest agreed to another protocol and its response was written.
   */
  void tunnel(Channel channel) {
    ended = true;
    upstream = null;
    Tunnel bytes = new Tunnel(client, channel);
    front.tunnel(bytes);
    channel.pipeline().get(UpstreamHandler.class).use(bytes);
    // A removed codec passes on the data it has buffered, which must not reach the other codec.
    ChannelHandlerContext guestCodec = channel.pipeline().context(HttpClientCodec.class);
    ((HttpClientCodec) guestCodec.handler()).prepareUpgradeFrom(guestCodec);
    client.pipeline().remove(HttpServerCodec.class);
    channel.pipeline().remove(HttpClientCodec.class);
    channel.read();
    client.read();
  }

  /** Makes the guest's connection available for other requests, or closes it. */
  void release(Channel channel, boolean reusable) {
    channel.pipeline().get(UpstreamHandler.class).use(null);
    if (reusable && requestComplete && guest != null) {
      upstreams.release(channel, guest);
    } else {
      Channels.close(channel);
    }
  }

  void clientRead(HttpContent content) {
    boolean broken = content.decoderResult().isFailure();
    requestComplete |= content instanceof LastHttpContent && !broken;
    if (broken) {
      content.release();
      Channels.close(client);
    } else if (ended) {
      content.release();
      if (requestComplete) {
        closeOnceRead();
      }
    } else if (upstream != null) {
      send(upstream, content);
    } else {
      early.add(content);
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
    if (ended || (requestComplete ? !front.hasHeld() : room)) {
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
    releaseEarly();
    if (upstream != null) {
      Channels.close(upstream);
      upstream = null;
    }
  }

  private void releaseEarly() {
    early.forEach(ReferenceCountUtil::release);
    early.clear();
  }

  ChannelHandlerContext client() {
    return client;
  }

  HttpRequest request() {
    return request;
  }

  HttpVersion clientVersion() {
    return clientVersion;
  }

  boolean wantsUpgrade() {
    return upgrade;
  }

  /** Returns whether this exchange allows the client's connection to be reused. */
  boolean mayKeepClient() {
    return clientKeepAlive && requestComplete;
  }
}
