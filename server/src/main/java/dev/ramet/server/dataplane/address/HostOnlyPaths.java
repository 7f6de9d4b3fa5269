// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane.address;

import dev.ramet.engine.sandboxes.Sandbox;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.Set;

/**
 * The calls of the agent that are reserved for the host: a caller of {@code /init} can set the
 * access token.
 */
public final class HostOnlyPaths {
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

  /** Carries the secret that authenticates the host to the agent; no client has it. */
  public static final String SECRET_HEADER = "X-Ramet-Host-Secret";

  private HostOnlyPaths() {}

  /** Returns whether a request is such a call, in any encoding of its path. */
  public static boolean matches(SandboxTarget where, HttpRequest request) {
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
