// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import org.jspecify.annotations.Nullable;

/** Converts calls to requests of the JDK's HTTP client. */
public final class HttpCalls {
  private HttpCalls() {}

  /** Sets method, header fields and body of a request. */
  public static HttpRequest.Builder onto(HttpRequest.Builder request, Call call) {
    call.headers().forEach(request::setHeader);
    return request.method(call.method(), body(call.content()));
  }

  private static BodyPublisher body(@Nullable Content content) {
    if (content == null || content.length() == 0) {
      return BodyPublishers.noBody();
    }
    BodyPublisher stream = BodyPublishers.ofInputStream(content.source());
    return content.length() < 0 ? stream : BodyPublishers.fromPublisher(stream, content.length());
  }
}
