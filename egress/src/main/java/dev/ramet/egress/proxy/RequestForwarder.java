// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import dev.ramet.egress.message.BadHttpException;
import dev.ramet.egress.message.RequestDecoder;
import dev.ramet.egress.message.RequestHeads;
import dev.ramet.egress.message.ResponseDecoder;
import dev.ramet.egress.stream.ByteForwarder;
import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.EndOfInput;
import dev.ramet.egress.stream.InterceptedConnection;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the requests of one connection and checks each of them, because a connection that was
 * allowed for one host could carry requests for other hosts at the same address. Responses pass
 * unchanged.
 */
final class RequestForwarder extends ChannelInboundHandlerAdapter {
  private static final String SETTINGS = "http2-settings";

  private final InterceptedConnection connection;
  private final Channel host;
  private final GuestConnection.HostCheck names;
  private final boolean switches;
  private boolean firstDecoded;
  private boolean firstPassed;
  private boolean wanting;
  private boolean hasBody;

  /**
   * Creates the handler of one connection.
   *
   * @param names the rules for further requests
   * @param first the first request, which they allow
   */
  RequestForwarder(
      InterceptedConnection connection,
      Channel host,
      GuestConnection.HostCheck names,
      HttpRequest first) {
    this.connection = connection;
    this.host = host;
    this.names = names;
    this.switches = webSocket(first);
  }

  /**
   * Refuses requests that are not for the host that they name, or that only a proxy may receive.
   */
  static void check(HttpRequest head) throws BadHttpException {
    if (!RequestHeads.keepsHost(head)) {
      throw new BadHttpException("a proxy or tunnel request, or one without a plain Host");
    }
  }

  private static boolean webSocket(HttpRequest head) {
    List<String> to = head.headers().getAll(HttpHeaderNames.UPGRADE);
    return to.size() == 1
        && HttpHeaderValues.WEBSOCKET.contentEqualsIgnoreCase(to.get(0))
        && RequestHeads.isBodiless(head);
  }

  /** Returns whether a request may end the use of HTTP; only the first one may. */
  boolean maySwitch(HttpRequest head) {
    boolean first = !firstDecoded;
    firstDecoded = true;
    return first && switches;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (switches) {
      ChannelStreams.replaceHandlers(
          host,
          new HttpRequestEncoder(),
          new ResponseDecoder(),
          new SwitchWatcher(connection, () -> resume(ctx)));
    } else {
      passResponsesUnchanged();
    }
    host.read();
    demand(ctx);
  }

  private void passResponsesUnchanged() {
    ChannelStreams.replaceHandlers(
        host, new HttpRequestEncoder(), new ByteForwarder(connection.guest(), connection));
  }

  private void resume(ChannelHandlerContext ctx) {
    passResponsesUnchanged();
    ctx.pipeline().get(RequestDecoder.class).resume();
    demand(ctx);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    wanting = false;
    boolean last = message instanceof LastHttpContent;
    try {
      if (message instanceof HttpRequest request) {
        hasBody = !RequestHeads.isBodiless(request);
        ChannelStreams.write(host, requireAllowed(request));
      } else if (message instanceof HttpContent) {
        ChannelStreams.write(host, message);
      } else if (message == EndOfInput.END) {
        ChannelStreams.endOutput(host);
        connection.sideEnded();
        return;
      } else {
        throw new BadHttpException("not a request: " + message);
      }
    } catch (BadHttpException | RefusedException e) {
      ReferenceCountUtil.release(message);
      connection.reset();
      return;
    }
    if (last || !(message instanceof HttpRequest) || hasBody) {
      host.flush(); // The end of a request without a body comes at once.
    }
    boolean waits = last && switches && ctx.pipeline().get(RequestDecoder.class).isPaused();
    if (!waits && host.isWritable()) {
      demand(ctx);
    }
  }

  private void demand(ChannelHandlerContext ctx) {
    wanting = true;
    ctx.read();
  }

  /** Reads more while the bytes so far are not a complete message. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (wanting) {
      ctx.read();
    }
  }

  private HttpRequest requireAllowed(HttpRequest request)
      throws BadHttpException, RefusedException {
    check(request);
    String name = RequestHeads.name(request);
    boolean first = !firstPassed;
    firstPassed = true;
    if (!first) {
      names.check(name);
    }
    return first && switches ? request : withoutUpgrade(request);
  }

  /** Removes a request for another protocol, in which further requests would be invisible. */
  private static HttpRequest withoutUpgrade(HttpRequest request) {
    HttpHeaders headers = request.headers();
    if (headers.contains(HttpHeaderNames.UPGRADE)) {
      List<String> words = RequestHeads.listValues(headers, HttpHeaderNames.CONNECTION);
      words.removeIf(word -> HttpHeaderNames.UPGRADE.contentEquals(word) || word.equals(SETTINGS));
      headers.remove(HttpHeaderNames.UPGRADE).remove(SETTINGS).remove(HttpHeaderNames.CONNECTION);
      if (!words.isEmpty()) {
        headers.set("Connection", String.join(", ", words));
      }
    }
    return request;
  }

  /** Lets the host's responses wait until the guest reads. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      host.read();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    connection.reset();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, @Nullable Throwable cause) {
    connection.reset();
  }
}
