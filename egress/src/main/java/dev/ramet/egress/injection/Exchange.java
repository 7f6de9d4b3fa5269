// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;

/** A request and how far it and its response have come. Used by one event loop. */
final class Exchange {
  private final HttpRequest request;
  private final boolean hasBody;
  private final boolean webSocket;
  private final boolean last;
  private final boolean waits;

  /** Whether its head was sent. */
  boolean sent;

  boolean bodyDone;
  boolean retried;

  /** Whether anything of a response has come. */
  boolean answered;

  /** Whether the response has an interim one before it. */
  boolean continued;

  /** Whether the last response has begun; interim ones may come before it. */
  boolean responding;

  /** Whether the response ends with the connection to the host. */
  boolean toTheEnd;

  boolean responseDone;

  /** Whether no request may follow. */
  boolean closes;

  Exchange(HttpRequest request) {
    this.request = request;
    this.hasBody = RequestRewriting.hasBody(request);
    this.webSocket = RequestRewriting.webSocket(request);
    this.last = RequestRewriting.last(request);
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

  /** A response begins. */
  void answer(HttpResponse response) {
    HttpResponseStatus status = response.status();
    answered = true;
    if (status.codeClass() == HttpStatusClass.INFORMATIONAL
        && !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      continued = true;
      return;
    }
    responding = true;
    closes = RequestRewriting.last(response);
    toTheEnd =
        !toHead()
            && !HttpUtil.isContentLengthSet(response)
            && !HttpUtil.isTransferEncodingChunked(response)
            && !status.equals(HttpResponseStatus.NO_CONTENT)
            && !status.equals(HttpResponseStatus.NOT_MODIFIED);
  }

  /**
   * Whether a request may follow. A guest that waited for the host's word before its body, and got
   * none, may leave the body out: then nobody knows where the next request begins.
   */
  boolean mayFollow() {
    boolean unclear = waits && !continued && !bodyDone;
    return !unclear && !toTheEnd && !last && !closes;
  }
}
