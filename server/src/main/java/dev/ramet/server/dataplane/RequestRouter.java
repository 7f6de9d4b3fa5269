// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.errors.RametException;
import dev.ramet.server.dataplane.address.Endpoints;
import dev.ramet.server.dataplane.address.RequestAuthority;
import dev.ramet.server.dataplane.address.SandboxTarget;
import dev.ramet.server.dataplane.address.UrlSignature;
import dev.ramet.server.http.AcceptedHosts;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Routes the requests of a client's connection, or the one of an HTTP/2 stream. Requests for
 * another host name are refused, requests for a guest are forwarded by a {@link ProxyExchange}, and
 * the others continue to routing. A request waits while one of the other kind is in progress, so
 * that responses keep the order of the requests.
 */
final class RequestRouter extends ChannelDuplexHandler {
  private final Endpoints endpoints;
  private final UpstreamPool upstreams;
  private final AcceptedHosts hosts;
  private final @Nullable String domain;
  private final BodyLimits limits;

  /** Messages of requests that must wait; reading stops while there are any. */
  private final Deque<Object> held = new ArrayDeque<>();

  private @Nullable ProxyExchange exchange;
  private @Nullable Tunnel tunnel;

  /** Number of requests that routing has not fully answered. */
  private int routed;

  private boolean receivingRouted;
  private boolean interimResponse;
  private boolean discarding;
  private boolean drainingHeld;
  private @Nullable ChannelPromise delayedClose;

  RequestRouter(
      Endpoints endpoints,
      UpstreamPool upstreams,
      AcceptedHosts hosts,
      @Nullable String domain,
      BodyLimits limits) {
    this.hosts = hosts;
    this.limits = limits;
    this.endpoints = endpoints;
    this.upstreams = upstreams;
    this.domain = domain;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (tunnel != null) {
      tunnel.clientRead(message);
    } else if (discarding) {
      ReferenceCountUtil.release(message);
    } else if (!held.isEmpty() || !accept(ctx, message)) {
      held.add(message);
    }
  }

  /** Passes a message on, or returns false when its request must wait. */
  private boolean accept(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request) {
      return exchange == null && route(ctx, request);
    }
    if (receivingRouted) {
      receivingRouted = !(message instanceof LastHttpContent);
      ctx.fireChannelRead(message);
    } else if (exchange != null && message instanceof HttpContent content) {
      exchange.clientRead(content);
    } else {
      ReferenceCountUtil.release(message);
    }
    return true;
  }

  private boolean route(ChannelHandlerContext ctx, HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      if (routed > 0) {
        return false;
      }
      discarding = true;
      ChannelWrites.write(ctx, ProxyErrors.malformed(request.decoderResult().cause()));
      ChannelWrites.closeAfterFlush(ctx);
      ReferenceCountUtil.release(request);
      return true;
    }
    SandboxTarget target = null;
    RametException refusal = null;
    try {
      RequestAuthority.namesOf(request).forEach(hosts::check);
      target = SandboxTarget.parse(request.headers(), domain);
    } catch (RametException e) {
      refusal = e;
    }
    UrlSignature signature =
        target == null && refusal == null ? UrlSignature.ofRequest(request) : null;
    if (target == null && refusal == null && signature == null) {
      routed++;
      limits.apply(ctx, request);
      receivingRouted = !(request instanceof LastHttpContent);
      ctx.fireChannelRead(request);
      return true;
    }
    if (routed > 0) {
      return false;
    }
    ProxyExchange begun = new ProxyExchange(this, ctx, request, endpoints, upstreams);
    exchange = begun;
    if (refusal != null) {
      begun.refuse(ProxyErrors.error(refusal));
    } else if (target != null) {
      begun.start(target);
    } else if (signature != null) {
      begun.startSigned(signature);
    }
    return true;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (tunnel != null) {
      tunnel.clientReadComplete();
    } else if (exchange != null) {
      exchange.clientReadComplete();
    } else if (!discarding) {
      // Routing responds with read(), which is not passed on while messages are held.
      ctx.fireChannelReadComplete();
    }
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (exchange == null && tunnel == null && held.isEmpty()) {
      ctx.read();
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse response) {
      interimResponse = response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }
    ChannelWrites.forward(ctx, message, promise);
    if (message instanceof LastHttpContent && !interimResponse && routed > 0) {
      routed--;
      if (routed == 0 && !held.isEmpty()) {
        // Deferred, because routing is in the middle of its write.
        ctx.executor().execute(() -> resume(ctx));
      }
    }
  }

  /** Returns whether the client has sent more than the current request. */
  boolean hasHeld() {
    return !held.isEmpty();
  }

  /** Continues after an exchange whose connection can be reused. */
  void finished(ChannelHandlerContext ctx) {
    exchange = null;
    if (delayedClose != null) {
      ChannelWrites.close(ctx, delayedClose);
      return;
    }
    // Deferred, because the exchange may have ended within its read handler.
    ctx.executor().execute(() -> resume(ctx));
  }

  /** Switches both sides to another protocol. */
  void tunnel(Tunnel bytes) {
    tunnel = bytes;
  }

  /** Continues with the held messages, then with reading. */
  private void resume(ChannelHandlerContext ctx) {
    if (drainingHeld || !ctx.channel().isActive()) {
      return;
    }
    drainingHeld = true;
    boolean toRouting = false;
    while (!held.isEmpty() && accept(ctx, held.peek())) {
      held.poll();
      toRouting |= exchange == null;
    }
    drainingHeld = false;
    if (toRouting) {
      ctx.fireChannelReadComplete();
    }
    if (exchange != null) {
      exchange.clientReadComplete();
    } else if (held.isEmpty() && !discarding) {
      ctx.read();
    }
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    if (exchange != null && tunnel == null && ctx.channel().isActive()) {
      delayedClose = promise;
    } else {
      ChannelWrites.close(ctx, promise);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (tunnel != null) {
      tunnel.clientWritable();
    } else if (exchange != null) {
      exchange.clientWritable();
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (tunnel != null) {
      tunnel.clientGone();
    }
    if (exchange != null) {
      exchange.clientGone();
      exchange = null;
    }
    if (delayedClose != null) {
      delayedClose.trySuccess();
    }
    releaseHeld();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    releaseHeld();
  }

  private void releaseHeld() {
    held.forEach(ReferenceCountUtil::release);
    held.clear();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Http2ResetFrame && exchange != null) {
      // The client gave up; reading may be paused now, so it would not notice.
      ChannelWrites.close(ctx);
    }
    // A quiet stream or a long operation does not make the connection idle.
    boolean busy = exchange != null || routed > 0;
    if (!(event instanceof IdleStateEvent) || !busy) {
      ctx.fireUserEventTriggered(event);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean malformed = routed == 0 && new ClientConnection(ctx.channel()).isStream();
    if (exchange != null || tunnel != null || discarding || malformed) {
      ChannelWrites.close(ctx); // no other handler learns of an error on a stream without a request
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }
}
