// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.errors.RametException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.HttpConversionUtil;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Takes off the headers that belong to one connection only (RFC 9110, 7.6.1), puts on ours. */
final class HopHeaders {
  private static final List<String> HOP_BY_HOP =
      List.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authorization",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** A Connection header that names these would change where a message goes or ends. */
  private static final Set<String> NEVER_STRIPPED = Set.of("content-length", "host");

  /** What the codec of HTTP/2 tells in headers, of which HTTP/1.1 knows nothing. */
  private static final HttpConversionUtil.ExtensionHeaderNames[] OF_STREAMS =
      HttpConversionUtil.ExtensionHeaderNames.values();

  private HopHeaders() {}

  /**
   * Makes a client's request ready for the guest.
   *
   * @param client how the client is connected
   * @return whether it asks for another protocol
   * @throws RametException {@code INVALID_ARGUMENT} when it cannot be passed on
   */
  static boolean request(HttpRequest request, Target target, ClientSide client) {
    HttpHeaders headers = request.headers();
    if (request.method().equals(HttpMethod.CONNECT) || !isPath(request.uri())) {
      throw RametException.invalid("request target", "must be a path");
    }
    if (!TOKEN.matcher(request.method().name()).matches()) {
      throw RametException.invalid("request method", "must be a token");
    }
    boolean chunked = chunked(headers);
    String upgrade = client.isStream() ? null : upgrade(request);
    strip(headers);
    headers.remove(HostOnly.SECRET_HEADER);
    if (client.isStream()) {
      for (HttpConversionUtil.ExtensionHeaderNames name : OF_STREAMS) {
        headers.remove(name.text());
      }
    }
    if (chunked) {
      headers.remove(HttpHeaderNames.CONTENT_LENGTH);
      headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    if (upgrade != null) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
      headers.set(HttpHeaderNames.UPGRADE, upgrade);
    }
    String host = headers.get(HttpHeaderNames.HOST);
    if (host != null) {
      headers.set("X-Forwarded-Host", host);
    }
    headers.set("X-Forwarded-Proto", client.isSecure() ? "https" : "http");
    if (!target.byHost()) {
      // The client's Host is this server's name; many a development server refuses a strange one.
      headers.set(HttpHeaderNames.HOST, "localhost:" + target.port());
    }
    request.setProtocolVersion(HttpVersion.HTTP_1_1);
    return upgrade != null;
  }

  /** In HTTP/2 any character could stand there, also one that ends a line of HTTP/1.1. */
  private static boolean isPath(String uri) {
    return uri.startsWith("/") && uri.chars().allMatch(c -> c > ' ' && c != 0x7f);
  }

  private static boolean chunked(HttpHeaders headers) {
    List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (codings.isEmpty()) {
      return false;
    }
    if (codings.size() > 1 || !codings.get(0).trim().equalsIgnoreCase("chunked")) {
      throw RametException.invalid("Transfer-Encoding", "must be chunked or absent");
    }
    return true;
  }

  private static @Nullable String upgrade(HttpRequest request) {
    HttpHeaders headers = request.headers();
    String upgrade = headers.get(HttpHeaderNames.UPGRADE);
    boolean asked =
        upgrade != null
            && request.protocolVersion().equals(HttpVersion.HTTP_1_1)
            && headers.containsValue(
                HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, /* ignoreCase= */ true);
    // HTTP/2 in the clear would have to be understood here; without it the guest stays with 1.1.
    return asked && !upgrade.toLowerCase(Locale.ROOT).contains("h2c") ? upgrade : null;
  }

  /**
   * Makes the guest's answer ready for the client.
   *
   * @param method of the request that it answers
   * @param client what the client speaks
   * @param keepAlive whether the client's connection may be used again
   * @return whether it really may
   */
  static boolean response(
      HttpResponse response, HttpMethod method, HttpVersion client, boolean keepAlive) {
    HttpHeaders headers = response.headers();
    boolean empty = hasNoBody(response, method);
    boolean counted = !HttpUtil.isTransferEncodingChunked(response) && isCounted(response);
    strip(headers);
    boolean modern = client.equals(HttpVersion.HTTP_1_1);
    boolean keep = keepAlive && (empty || counted || modern);
    if (!empty && !counted) {
      headers.remove(HttpHeaderNames.CONTENT_LENGTH);
      if (modern) {
        headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
      }
    }
    response.setProtocolVersion(HttpVersion.HTTP_1_1);
    if (!keep) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!modern) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
    return keep;
  }

  /** Whether the guest's connection can be used again after this answer. */
  static boolean keepsAlive(HttpResponse response, HttpMethod method) {
    return HttpUtil.isKeepAlive(response)
        && (hasNoBody(response, method)
            || HttpUtil.isTransferEncodingChunked(response)
            || isCounted(response));
  }

  private static boolean isCounted(HttpResponse response) {
    return response.headers().contains(HttpHeaderNames.CONTENT_LENGTH);
  }

  private static boolean hasNoBody(HttpResponse response, HttpMethod method) {
    int status = response.status().code();
    return method.equals(HttpMethod.HEAD) || status < 200 || status == 204 || status == 304;
  }

  private static void strip(HttpHeaders headers) {
    for (String value : headers.getAll(HttpHeaderNames.CONNECTION)) {
      for (String name : value.toLowerCase(Locale.ROOT).split(",", -1)) {
        String token = name.trim();
        if (!token.isEmpty() && !NEVER_STRIPPED.contains(token)) {
          headers.remove(token);
        }
      }
    }
    HOP_BY_HOP.forEach(headers::remove);
  }
}
