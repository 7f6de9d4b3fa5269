// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Marks responses of paths that stay only for older clients: {@code Deprecation} (RFC 9745) has the
 * time since when, {@code Link} the path to use instead. Thread-safe.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class DeprecatedPaths {
  /** 2026-12-01T00:00:00Z. */
  private static final String SINCE = "@1796083200";

  private static final Pattern OLD =
      Pattern.compile("((?:/v2)?/sandboxes/[^/]+/)(resume|refreshes)");

  private static final Map<String, String> SUCCESSORS =
      Map.of("resume", "connect", "refreshes", "timeout");

  @ResponseFilter
  void mark(HttpRequest<?> request, MutableHttpResponse<?> response) {
    Matcher old = OLD.matcher(request.getPath());
    if (old.matches()) {
      response.header("Deprecation", SINCE);
      String path = request.getUri().getRawPath();
      String base = path.substring(0, path.lastIndexOf('/') + 1);
      response.header(
          "Link", "<" + base + SUCCESSORS.get(old.group(2)) + ">; rel=\"successor-version\"");
    }
  }
}
