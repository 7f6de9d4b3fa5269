// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;

/** A request, with the progress of it and its response. Used by one event loop. */
final class Exchange {
  private final HttpRequest request;
  private final boolean hasBody;
  private final boolean webSocket;
  private final boolean last;
  private final boolean waits;

  /** Whether the request's head was sent. */
  boolean sent;

  boolean bodyDone;
  boolean retried;

  /** Whether any part of a response has arrived. */
  boolean answered;

  /** Whether an interim response precedes the response. */
  boolean continued;

  /** Whether the final response has begun; interim ones may precede it. */
  boolean responding;

  /** Whether the response ends when the connection to the host does. */
  boolean toTheEnd;

  boolean responseDone;

  /** Whether no further request may follow. */
  boolean closes;

  Exchange(HttpRequest request) {
    this.request = request;
    this.hasBody = RequestRewriting.hasBody(request);
    this.webSocket = RequestRewriting.webSocket(request);
    this.last = RequestRewriting.closesConnection(request);
    this.waits = request.headers().contains(HttpHeaderNames.EXPECT);
  }

  HttpRequest request() {
    return request;
  }

  boolean hasBody() {
    return hasBody;
  }

  boolean webSocket() {
    return webSocket;
  }

  boolean toHead() {
    return request.method().equals(HttpMethod.HEAD);
  }

  /** Records that a response begins. */
  void beginResponse(HttpResponse response) {
    HttpResponseStatus status = response.status();
    answered = true;
    if (status.codeClass() == HttpStatusClass.INFORMATIONAL
        && !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      continued = true;
      return;
    }
    responding = true;
    closes = RequestRewriting.closesConnection(response);
    toTheEnd =
        !toHead()
            && !HttpUtil.isContentLengthSet(response)
            && !HttpUtil.isTransferEncodingChunked(response)
            && !status.equals(HttpResponseStatus.NO_CONTENT)
            && !status.equals(HttpResponseStatus.NOT_MODIFIED);
  }

  /**
   * Returns whether another request may follow. A guest that waited for the host's permission to
   * send its body, and did not get it, may omit the body: the start of the next request is then
   * unknown.
   */
  boolean mayReuseConnection() {
    boolean unclear = waits && !continued && !bodyDone;
    return !unclear && !toTheEnd && !last && !closes;
  }
}
