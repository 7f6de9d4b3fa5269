// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.engine.Sandbox;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.Set;

/**
 * What of the agent is for the host alone: whoever may call {@code /init} sets the access token.
 */
final class HostOnly {
  private static final Set<String> PATHS =
      Set.of(
          "/init",
          "/ready",
          "/settle",
          "/freeze",
          "/thaw",
          "/template",
          "/unpack",
          "/trust",
          "/volume");

  /** What the host proves itself with; no client has it. */
  static final String SECRET_HEADER = "X-Ramet-Host-Secret";

  private HostOnly() {}

  /** Whether a request asks for that, however its path is written. */
  static boolean is(Target where, HttpRequest request) {
    if (where.port() != Sandbox.AGENT_PORT) {
      return false;
    }
    String uri = request.uri();
    int authority = uri.startsWith("/") ? -1 : uri.indexOf("://");
    int start = authority < 0 ? 0 : uri.indexOf('/', authority + 3);
    if (start < 0) {
      return false;
    }
    try {
      return PATHS.contains(new QueryStringDecoder(uri.substring(start)).path());
    } catch (IllegalArgumentException e) {
      return false; // the agent cannot read it either
    }
  }
}
