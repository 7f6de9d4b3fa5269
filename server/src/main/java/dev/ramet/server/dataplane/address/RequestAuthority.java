// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane.address;

import dev.ramet.errors.RametException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;

/** Finds all host names that a request names as its destination. */
public final class RequestAuthority {
  private static final String SCHEME_END = "://";

  private RequestAuthority() {}

  /**
   * Returns the {@code Host} header (which also carries the {@code :authority} of HTTP/2) and the
   * authority of a request target in absolute form, which takes precedence over the header (RFC
   * 9112, section 3.2.2).
   *
   * @return empty for an HTTP/1.0 request without a host; browsers send no such request
   * @throws RametException {@code INVALID_ARGUMENT} when the header is missing or repeated
   */
  public static List<String> namesOf(HttpRequest request) {
    List<String> all = new ArrayList<>();
    List<String> headers = request.headers().getAll(HttpHeaderNames.HOST);
    if (headers.size() > 1) {
      throw RametException.invalid("Host", "must be given exactly once");
    }
    if (headers.isEmpty()) {
      if (!request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
        throw RametException.invalid("Host", "the request must name a host");
      }
    } else {
      all.add(headers.get(0).trim());
    }
    String uri = request.uri();
    int scheme = uri.startsWith("/") ? -1 : uri.indexOf(SCHEME_END);
    if (scheme >= 0) {
      String rest = uri.substring(scheme + SCHEME_END.length());
      all.add(rest.split("[/?#\\\\]", 2)[0]);
    }
    return all;
  }
}
