// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.message.BadHttpException;
import dev.ramet.egress.message.LocalResponse;
import dev.ramet.egress.message.RequestDecoder;
import dev.ramet.egress.rule.MissingSecretException;
import dev.ramet.egress.stream.ByteForwarder;
import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.EndOfInput;
import dev.ramet.egress.stream.EventLoops;
import dev.ramet.egress.stream.InterceptedConnection;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Handles the requests of one guest connection, one after the other, each with the headers that are
 * current when it is sent. During a response, only the head of the next request is read, and it
 * waits. Used on the guest's event loop.
 */
final class RequestInjectionHandler extends ChannelInboundHandlerAdapter {
  /** A header that offers guests another way to the host, which would bypass the rules. */
  private static final String OTHER_WAYS = "Alt-Svc";

  private final String name;
  private final InjectedHeaders headers;
  private final InterceptedConnection connection;
  private final UpstreamSide host;
  private @Nullable Exchange current;
  private @Nullable Object next;
  private boolean reading;

  RequestInjectionHandler(
      String name,
      InjectedHeaders headers,
      InterceptedConnection connection,
      UpstreamConnector connector) {
    this.name = name;
    this.headers = headers;
    this.connection = connection;
    this.host = new UpstreamSide(this, connector, connection.guest());
  }

  /** Whether the response is to a {@code HEAD} request. */
  boolean toHead() {
    return current != null && current.toHead();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    demand();
  }

  /** Requests one more message from the guest. */
  void demand() {
    if (!reading) {
      reading = true;
      connection.guest().read();
    }
  }

  /** Reads more while the bytes so far are not a complete message. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (reading) {
      connection.guest().read();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    reading = false;
    Exchange now = current;
    if (message instanceof HttpContent content) {
      body(content);
    } else if (now == null) {
      beginExchange(message);
    } else if (now.bodyDone) {
      next = message;
      if (message == EndOfInput.END) {
        host.endOutput(); // The guest may still wait for the response.
      }
    } else if (now.answered) {
      connection.reset(); // The body is broken, and the host must not take a part for the whole.
    } else {
      host.drop();
      beginExchange(message);
    }
  }

  private void beginExchange(Object message) {
    if (message instanceof BadHttpException bad) {
      respond(LocalResponse.forError(bad));
    } else if (message instanceof HttpRequest request) {
      beginExchange(request);
    } else {
      connection.finish();
    }
  }

  private void beginExchange(HttpRequest request) {
    Exchange exchange = new Exchange(request);
    current = exchange;
    LocalResponse refusal = RequestRewriting.findRefusal(request, name);
    if (refusal != null) {
      respond(refusal);
      return;
    }
    // Headers without secrets need no other thread: waking one costs as much as the request.
    Executor lookup = headers.isConstant() ? Runnable::run : EventLoops.blocking();
    var unused =
        CompletableFuture.supplyAsync(this::currentHeaders, lookup)
            .whenCompleteAsync(
                (added, e) -> {
                  if (e == null) {
                    RequestRewriting.setHeaders(added, request);
                    host.send(exchange);
                  } else {
                    respond(GatewayErrors.unavailable(exchange, name, e));
                  }
                },
                connection.guest().eventLoop());
  }

  private Map<String, String> currentHeaders() {
    try {
      return headers.current();
    } catch (MissingSecretException e) {
      throw new CompletionException(e);
    }
  }

  private void body(HttpContent content) {
    Exchange exchange = current;
    if (exchange == null || !exchange.hasBody()) {
      ReferenceCountUtil.release(content);
    }
    if (exchange == null) {
      return;
    }
    boolean last = content instanceof LastHttpContent;
    boolean more = !exchange.hasBody() || host.write(content);
    exchange.bodyDone |= last;
    if (last && exchange.webSocket() && !exchange.responseDone) {
      return; // The bytes that follow may be of another protocol.
    }
    if (last || more) {
      demand();
    }
    beginNext(exchange);
  }

  /** Continues the body once the host can take more. */
  void resumeBody() {
    if (current != null && !current.bodyDone) {
      demand();
    }
  }

  /** Handles the start of a response from the host. */
  void response(Channel from, HttpResponse response) {
    Exchange exchange = current;
    if (exchange == null || !exchange.sent || exchange.responding) {
      upstreamEnded(from, new BadHttpException("a response without a request"));
      return;
    }
    boolean switched = response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
    if (switched && !exchange.webSocket()) {
      upstreamEnded(from, new BadHttpException("a protocol switch that was not requested"));
      return;
    }
    exchange.beginResponse(response);
    response.headers().remove(OTHER_WAYS);
    Channel guest = connection.guest();
    ChannelStreams.write(guest, response);
    if (switched) {
      guest.flush();
      ChannelStreams.replaceHandlers(from, new ByteForwarder(guest, connection));
      ChannelStreams.replaceHandlers(guest, new ByteForwarder(from, connection));
    }
  }

  /**
   * Forwards part of a response.
   *
   * @param cut whether the response is incomplete if the connection ends
   */
  void content(Channel from, HttpContent content, boolean cut) {
    Exchange exchange = current;
    boolean last = content instanceof LastHttpContent;
    if (exchange == null || (last && exchange.toTheEnd && cut)) {
      ReferenceCountUtil.release(content);
      upstreamEnded(from, new SSLException("the connection ended without a TLS close"));
      return;
    }
    ChannelStreams.write(connection.guest(), content);
    if (!last || !exchange.responding) {
      return; // An interim response ends, and another one follows.
    }
    exchange.responseDone = true;
    connection.guest().flush();
    if (!exchange.mayReuseConnection()) {
      connection.finish();
      return;
    }
    host.requestCompleted();
    if (exchange.webSocket()) {
      connection.guest().pipeline().get(RequestDecoder.class).resume();
      demand();
    }
    beginNext(exchange);
  }

  /** Continues with the next request once this request and its response are complete. */
  private void beginNext(Exchange exchange) {
    if (exchange.responseDone && exchange.bodyDone && current == exchange) {
      current = null;
      Object waiting = next;
      next = null;
      if (waiting != null) {
        beginExchange(waiting);
      }
    }
  }

  /** Handles the end of the connection to the host, or its failure. */
  void upstreamEnded(Channel from, @Nullable Throwable problem) {
    UpstreamConnection lost = host.dropIfCurrent(from);
    Exchange exchange = current;
    if (lost == null || exchange == null || !exchange.sent) {
      return; // It was not in use.
    }
    if (exchange.responseDone) {
      connection.finish();
    } else if (exchange.answered) {
      connection.reset();
    } else if (lost.isReused()
        && !exchange.hasBody()
        && !exchange.retried
        && !(problem instanceof BadHttpException)) {
      // The host closed an idle connection at the moment it was used again.
      exchange.retried = true;
      host.send(exchange);
    } else {
      unreached(exchange, problem);
    }
  }

  void unreached(Exchange exchange, @Nullable Throwable why) {
    respond(GatewayErrors.unreachable(exchange, name, why));
  }

  /** Responds instead of the host; no further request follows. */
  private void respond(LocalResponse response) {
    ChannelHandlerContext encoder = connection.guest().pipeline().context(ResponseEncoder.class);
    if (encoder != null) {
      var unused = encoder.write(response.bytes(), connection.guest().voidPromise());
    }
    connection.finish();
  }

  /** Lets the host's response wait until the guest reads. */
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
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause.getCause() instanceof SSLException) {
      connection.finish(); // An alert tells the guest.
    } else {
      connection.reset();
    }
  }
}
