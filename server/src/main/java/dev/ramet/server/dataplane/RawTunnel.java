// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.server.dataplane.address.GuestEndpoint;
import dev.ramet.server.dataplane.address.SandboxTarget;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

/**
 * A request that the host answers itself by switching to a plain TCP connection to a guest's port
 * (RFC 9110, section 7.8). The agent's port is excluded: its calls are filtered one by one.
 */
final class RawTunnel {
  /** The protocol that a client asks for in {@code Upgrade}. */
  static final String PROTOCOL = "ramet-tcp";

  private RawTunnel() {}

  /** Returns whether a request asks for a tunnel. */
  static boolean isWanted(HttpRequest request, ClientConnection client) {
    return !client.isStream()
        && request.method().equals(HttpMethod.GET)
        && request.protocolVersion().equals(HttpVersion.HTTP_1_1)
        && PROTOCOL.equalsIgnoreCase(request.headers().get(HttpHeaderNames.UPGRADE))
        && request
            .headers()
            .containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true);
  }

  /** Returns whether a request has a body, which would have no place in a tunnel. */
  static boolean hasBody(HttpRequest request) {
    String length = request.headers().get(HttpHeaderNames.CONTENT_LENGTH, "0");
    return !length.equals("0") || request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
  }

  /** Returns whether tunnels may lead to a port. */
  static boolean isAllowed(SandboxTarget where) {
    return where.port() != Sandbox.AGENT_PORT;
  }

  /** Returns the endpoint without TLS, because the client's bytes pass unchanged. */
  static GuestEndpoint plain(GuestEndpoint guest) {
    return new GuestEndpoint(guest.address(), false, null);
  }

  /** Returns whether a client asks for a tunnel with {@link TunnelFrames}. */
  private static boolean isFramed(HttpRequest request) {
    return TunnelFrames.VERSION.equals(request.headers().get(TunnelFrames.HEADER));
  }

  /**
   * Returns a tunnel.
   *
   * @param raw whether the host answers the request itself; only then may it ask for frames
   */
  static Tunnel between(
      boolean raw, HttpRequest request, ChannelHandlerContext client, Channel upstream) {
    return raw && isFramed(request)
        ? new HalfClosingTunnel(client, upstream)
        : new Tunnel(client, upstream);
  }

  /** Returns the response that switches the protocol. */
  static FullHttpResponse switching(HttpRequest request) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, Unpooled.EMPTY_BUFFER);
    response
        .headers()
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE)
        .set(HttpHeaderNames.UPGRADE, PROTOCOL);
    if (isFramed(request)) {
      response.headers().set(TunnelFrames.HEADER, TunnelFrames.VERSION);
    }
    return response;
  }
}
