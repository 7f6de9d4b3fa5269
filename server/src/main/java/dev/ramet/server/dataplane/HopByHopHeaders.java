// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.errors.RametException;
import dev.ramet.server.dataplane.address.HostOnlyPaths;
import dev.ramet.server.dataplane.address.SandboxTarget;
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

/** Replaces the hop-by-hop headers, which belong to one connection only (RFC 9110, 7.6.1). */
final class HopByHopHeaders {
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

  /** If a Connection header could remove these, it could change where a message goes or ends. */
  private static final Set<String> NEVER_STRIPPED = Set.of("content-length", "host");

  /** Headers that the HTTP/2 codec adds and HTTP/1.1 does not know. */
  private static final HttpConversionUtil.ExtensionHeaderNames[] OF_STREAMS =
      HttpConversionUtil.ExtensionHeaderNames.values();

  private HopByHopHeaders() {}

  /**
   * Prepares a client's request for the guest.
   *
   * @param client the client's side of the exchange
   * @return whether the request asks to switch the protocol
   * @throws RametException {@code INVALID_ARGUMENT} when it cannot be forwarded
   */
  static boolean request(HttpRequest request, SandboxTarget target, ClientConnection client) {
    HttpHeaders headers = request.headers();
    if (request.method().equals(HttpMethod.CONNECT) || !isPath(request.uri())) {
      throw RametException.invalid("request target", "must be a path");
    }
    if (!TOKEN.matcher(request.method().name()).matches()) {
      throw RametException.invalid("request method", "must be a token");
    }
    boolean chunked = chunked(headers);
    String upgrade = client.isStream() ? null : upgrade(request);
    removeConnectionHeaders(headers);
    headers.remove(HostOnlyPaths.SECRET_HEADER);
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
      // The client's Host names this server; many development servers refuse an unknown name.
      headers.set(HttpHeaderNames.HOST, "localhost:" + target.port());
    }
    request.setProtocolVersion(HttpVersion.HTTP_1_1);
    return upgrade != null;
  }

  /** In HTTP/2 the path could contain any character, also one that ends a line of HTTP/1.1. */
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
    // Unencrypted HTTP/2 would have to be parsed here; without the upgrade the guest stays with
    // 1.1.
    return asked && !upgrade.toLowerCase(Locale.ROOT).contains("h2c") ? upgrade : null;
  }

  /**
   * Prepares the guest's response for the client.
   *
   * @param method method of the request
   * @param client HTTP version of the client
   * @param keepAlive whether the client's connection may be reused
   * @return whether it can in fact be reused
   */
  static boolean response(
      HttpResponse response, HttpMethod method, HttpVersion client, boolean keepAlive) {
    HttpHeaders headers = response.headers();
    boolean empty = hasNoBody(response, method);
    boolean counted = !HttpUtil.isTransferEncodingChunked(response) && isCounted(response);
    removeConnectionHeaders(headers);
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

  /** Returns whether the guest's connection can be reused after this response. */
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

  private static void removeConnectionHeaders(HttpHeaders headers) {
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
