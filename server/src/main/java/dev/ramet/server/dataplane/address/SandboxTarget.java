// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane.address;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.errors.RametException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The sandbox and port that a request is for. Only the Host and the two E2b headers decide, never
 * the path.
 *
 * @param sandboxId the sandbox
 * @param port the TCP port in the guest
 * @param byHost whether the Host header names it, so that the guest can get this header
 */
public record SandboxTarget(String sandboxId, int port, boolean byHost) {
  static final String SANDBOX_HEADER = "E2b-Sandbox-Id";
  static final String PORT_HEADER = "E2b-Sandbox-Port";

  /** Browsers and resolvers map every name below it to this machine (RFC 6761, 6.3). */
  private static final String LOCAL = "localhost";

  private static final Pattern HOST =
      Pattern.compile("(\\d{1,5})-([a-z0-9][a-z0-9_-]{0,62})\\.([^:]+?)\\.?(?::\\d{0,5})?");
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /**
   * Returns the target that these headers name, or null when they name no sandbox.
   *
   * @param domain the domain of guests, or null for {@code localhost}
   * @throws RametException {@code INVALID_ARGUMENT} when they are contradictory or malformed
   */
  public static @Nullable SandboxTarget parse(HttpHeaders headers, @Nullable String domain) {
    String host = onlyValue(headers, HttpHeaderNames.HOST.toString());
    if (host != null) {
      Matcher matcher = HOST.matcher(host.toLowerCase(Locale.ROOT));
      if (matcher.matches()
          && matcher.group(3).equalsIgnoreCase(domain == null ? LOCAL : withoutPort(domain))) {
        return new SandboxTarget(matcher.group(2), port("Host", matcher.group(1)), true);
      }
    }
    String id = onlyValue(headers, SANDBOX_HEADER);
    String port = onlyValue(headers, PORT_HEADER);
    if (id == null) {
      return null;
    }
    if (!ID.matcher(id).matches()) {
      throw RametException.invalid(SANDBOX_HEADER, "is not a sandbox id");
    }
    // Clients omit the port for calls to the agent.
    return new SandboxTarget(
        id, port == null ? Sandbox.AGENT_PORT : port(PORT_HEADER, port), false);
  }

  private static String withoutPort(String domain) {
    int colon = domain.indexOf(':');
    return colon < 0 ? domain : domain.substring(0, colon);
  }

  private static int port(String field, String digits) {
    try {
      int port = Integer.parseInt(digits);
      if (port >= 1 && port <= 65535) {
        return port;
      }
    } catch (NumberFormatException e) {
      // falls through to the exception below
    }
    throw RametException.invalid(field, "the port must be from 1 to 65535");
  }

  /**
   * Returns a header's only value. Refuses a repeated header, which this proxy and the guest could
   * interpret differently.
   */
  private static @Nullable String onlyValue(HttpHeaders headers, String name) {
    List<String> values = headers.getAll(name);
    if (values.size() > 1) {
      throw RametException.invalid(name, "must be given exactly once");
    }
    return values.isEmpty() ? null : values.get(0).trim();
  }
}
