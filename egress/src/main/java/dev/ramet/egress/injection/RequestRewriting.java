// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.message.BadHttpException;
import dev.ramet.egress.message.LocalResponse;
import dev.ramet.egress.message.RequestHeads;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks the head of a guest's request, and rewrites it. */
final class RequestRewriting {
  /**
   * Headers for the hop between the guest and this host; those for the next hop are created here.
   */
  private static final List<String> HOP =
      List.of("Connection", "Upgrade", "Keep-Alive", "Proxy-Connection", "TE", "HTTP2-Settings");

  private RequestRewriting() {}

  /**
   * Refuses requests that could carry headers to a host other than the one that the rules are for.
   *
   * @param name of that host
   * @return the response to such a request, or null if the request may be forwarded
   */
  static @Nullable LocalResponse findRefusal(HttpRequest head, String name) {
    HttpMethod method = head.method();
    if (method.equals(HttpMethod.TRACE) || method.equals(HttpMethod.CONNECT)) {
      // A host may answer TRACE with the injected header, and CONNECT can lead anywhere.
      String text = method + " is not forwarded to " + name;
      return new LocalResponse(HttpResponseStatus.METHOD_NOT_ALLOWED, text, false);
    }
    try {
      if (!RequestHeads.isDirect(head)) {
        throw new BadHttpException("a proxy request");
      }
      if (!name.equals(RequestHeads.name(head))) {
        return new LocalResponse(
            HttpResponseStatus.MISDIRECTED_REQUEST,
            "this connection is for " + name + ", but Host names another host",
            method.equals(HttpMethod.HEAD));
      }
      return null;
    } catch (BadHttpException e) {
      return LocalResponse.forError(e);
    }
  }

  /** Puts headers into a request, replacing those of the same names. */
  static void setHeaders(Map<String, String> added, HttpRequest request) {
    boolean webSocket = webSocket(request);
    boolean last = closesConnection(request);
    HttpHeaders headers = request.headers();
    HOP.forEach(headers::remove);
    added.keySet().forEach(headers::remove);
    added.forEach(headers::add);
    if (webSocket) {
      headers.set("Upgrade", HttpHeaderValues.WEBSOCKET).set("Connection", "Upgrade");
    } else if (last) {
      headers.set("Connection", HttpHeaderValues.CLOSE);
    }
  }

  /**
   * Returns whether a request asks for a WebSocket, the only protocol that a connection may switch
   * to.
   */
  static boolean webSocket(HttpRequest head) {
    List<String> to = head.headers().getAll(HttpHeaderNames.UPGRADE);
    return to.size() == 1
        && HttpHeaderValues.WEBSOCKET.contentEqualsIgnoreCase(to.get(0))
        && head.method().equals(HttpMethod.GET)
        && RequestHeads.listValues(head.headers(), HttpHeaderNames.CONNECTION).contains("upgrade")
        && !hasBody(head);
  }

  /** Returns whether a body follows the head of a request. */
  static boolean hasBody(HttpRequest head) {
    return !RequestHeads.isBodiless(head);
  }

  /** Returns whether no further message follows on the connection. */
  static boolean closesConnection(HttpMessage head) {
    return head.protocolVersion().equals(HttpVersion.HTTP_1_0)
        || RequestHeads.listValues(head.headers(), HttpHeaderNames.CONNECTION).contains("close");
  }
}
