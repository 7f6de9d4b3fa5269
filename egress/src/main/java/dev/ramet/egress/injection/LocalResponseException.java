// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.proxy.LocalResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;

/** A request is answered by this host and not sent on. */
final class LocalResponseException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient LocalResponse response;

  LocalResponseException(HttpResponseStatus status, String text, HttpRequest request) {
    super(status + ": " + text);
    this.response = new LocalResponse(status, text, request.method().equals(HttpMethod.HEAD));
  }

  LocalResponse response() {
    return response;
  }
}
