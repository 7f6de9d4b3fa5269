// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.server.dataplane.address.SandboxTarget;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** Streams a guest's response to the client, reading only as fast as the client accepts it. */
final class GuestResponse implements UpstreamHandler.Listener {
  private enum Part {
    /** No response yet, or interim (1xx) responses only. */
    NONE,
    /** Waiting for the end of an interim response. */
    INTERIM,
    /** Waiting for the end of the response that switches the protocol. */
    SWITCHING,
    /** Within the body. */
    BODY,
    /** Complete, or the rest is ignored. */
    DONE
  }

  private final ProxyExchange exchange;
  private final SandboxTarget target;
  private final ChannelHandlerContext client;
  private final Channel upstream;
  private final boolean reused;
  private Part part = Part.NONE;
  private @Nullable HttpResponse interim;
  private boolean keepClient;
  private boolean keepUpstream;

  GuestResponse(ProxyExchange exchange, SandboxTarget target, Channel upstream, boolean reused) {
    this.exchange = exchange;
    this.target = target;
    this.client = exchange.client();
    this.upstream = upstream;
    this.reused = reused;
  }

  @Override
  public void upstreamRead(Object message) {
    if (part == Part.DONE) {
      ReferenceCountUtil.release(message);
    } else if (message instanceof HttpResponse response) {
      head(response);
    } else if (message instanceof HttpContent content) {
      content(content);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  private void head(HttpResponse response) {
    boolean switching = response.status().code() == 101;
    if (response.decoderResult().isFailure() || (switching && !exchange.wantsUpgrade())) {
      part = Part.DONE;
      exchange.refuse(ProxyErrors.connectionBroken(target));
    } else if (switching) {
      part = Part.SWITCHING;
      // Unchanged, because this response is about Connection and Upgrade.
      ChannelWrites.write(client, response);
    } else if (response.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      part = Part.INTERIM;
      interim = response;
    } else {
      part = Part.BODY;
      keepUpstream = HopByHopHeaders.keepsAlive(response, exchange.request().method());
      keepClient =
          HopByHopHeaders.response(
              response,
              exchange.request().method(),
              exchange.request().version(),
              exchange.request().mayKeepAlive());
      ChannelWrites.write(client, response);
    }
  }

  private void content(HttpContent content) {
    boolean last = content instanceof LastHttpContent;
    if (content.decoderResult().isFailure()) {
      content.release();
      upstreamGone();
      ChannelWrites.close(upstream);
    } else if (part == Part.BODY) {
      ChannelWrites.write(client, content);
      if (last) {
        complete();
      }
    } else {
      content.release();
      if (last && part == Part.INTERIM) {
        passInterim();
      } else if (last && part == Part.SWITCHING) {
        part = Part.DONE;
        ChannelWrites.writeAndFlush(client, LastHttpContent.EMPTY_LAST_CONTENT);
        exchange.tunnel(upstream);
      }
    }
  }

  /** HTTP/1.0 has no interim responses. */
  private void passInterim() {
    part = Part.NONE;
    if (interim != null && exchange.request().version().equals(HttpVersion.HTTP_1_1)) {
      interim.headers().remove(HttpHeaderNames.CONNECTION);
      // As one message, which HTTP/2 requires.
      ChannelWrites.writeAndFlush(
          client,
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              interim.status(),
              Unpooled.EMPTY_BUFFER,
              interim.headers(),
              EmptyHttpHeaders.INSTANCE));
    }
    interim = null;
  }

  private void complete() {
    part = Part.DONE;
    client.flush();
    exchange.release(upstream, keepUpstream);
    exchange.finish(keepClient);
  }

  @Override
  public void upstreamReadComplete() {
    if (part != Part.DONE) {
      client.flush();
      if (client.channel().isWritable()) {
        upstream.read();
      }
    }
  }

  @Override
  public void upstreamWritable() {
    exchange.readClient();
  }

  @Override
  public void upstreamGone() {
    Part was = part;
    part = Part.DONE;
    switch (was) {
      case DONE -> {}
      case BODY, SWITCHING -> exchange.reset();
      case NONE, INTERIM -> {
        if (reused && exchange.request().isRepeatable()) {
          exchange.retry(target);
        } else if (reused) {
          exchange.refuseAfterLookup(target, ProxyErrors.connectionBroken(target));
        } else {
          // User-mode networks accept every connection first, and close it if the guest's port is
          // closed.
          exchange.refuseAfterLookup(target, ProxyErrors.portClosed(target));
        }
      }
    }
  }
}
