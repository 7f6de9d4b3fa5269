// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import dev.ramet.errors.RametException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the host forwards requests to a sandbox's ports. The agent's port is not included: it has its
 * own access token. Immutable and thread-safe.
 *
 * @param anyone whether requests are accepted without the sandbox's token
 * @param hostMask the Host header that its servers see, where {@code ${PORT}} is replaced by the
 *     port; null to keep the original header
 * @param httpsPorts ports whose servers speak TLS
 */
public record InboundRules(
    boolean anyone, @Nullable String hostMask, @Nullable List<Integer> httpsPorts) {
  /** Open to every client of the host, in plain HTTP, with the original Host header. */
  public static final InboundRules PLAIN = new InboundRules(true, null, List.of());

  /** The placeholder for the port in a mask. */
  public static final String PORT = "${PORT}";

  private static final int MAX_PORTS = 64;
  private static final int MAX_MASK = 255;

  /** A name or an address with an optional port (RFC 9110, section 7.2). */
  private static final Pattern HOST =
      Pattern.compile("(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::[0-9]{1,5})?");

  /** Copies the list, and fills in values that a stored record lacks. */
  public InboundRules {
    httpsPorts = httpsPorts == null ? List.of() : List.copyOf(httpsPorts);
  }

  /**
   * Creates rules from the values of a request.
   *
   * @param anyone whether requests need no token, or null for yes
   * @param hostMask the Host header that servers see, or null to keep the original one
   * @param httpsPorts ports whose servers speak TLS, or null for none
   * @throws RametException {@code INVALID_ARGUMENT} that names the invalid field
   */
  public static InboundRules parse(
      @Nullable Boolean anyone,
      @Nullable String hostMask,
      @Nullable List<@Nullable Integer> httpsPorts) {
    if (hostMask != null
        && (hostMask.length() > MAX_MASK
            || !HOST.matcher(hostMask.replace(PORT, "65535")).matches())) {
      throw RametException.invalid(
          "network.maskRequestHost",
          "must be a host, optionally with a port, in which " + PORT + " may stand");
    }
    return new InboundRules(anyone == null || anyone, hostMask, requireValid(httpsPorts));
  }

  private static List<Integer> requireValid(@Nullable List<@Nullable Integer> ports) {
    if (ports == null) {
      return List.of();
    }
    if (ports.size() > MAX_PORTS) {
      throw RametException.invalid("network.httpsPorts", "at most " + MAX_PORTS + " ports");
    }
    return ports.stream().map(InboundRules::requireValid).distinct().sorted().toList();
  }

  private static Integer requireValid(@Nullable Integer port) {
    if (port == null || port < 1 || port > 65535) {
      throw RametException.invalid("network.httpsPorts", "a port must be from 1 to 65535");
    }
    if (port == Sandbox.AGENT_PORT) {
      throw RametException.invalid("network.httpsPorts", "the agent's port speaks HTTP");
    }
    return port;
  }

  @Override
  public List<Integer> httpsPorts() {
    return httpsPorts == null ? List.of() : httpsPorts;
  }

  /** Returns the Host header for the server at a port, or null to keep the original one. */
  public @Nullable String host(int port) {
    return hostMask == null ? null : hostMask.replace(PORT, Integer.toString(port));
  }

  /** Returns whether the server at a port speaks TLS. */
  public boolean tls(int port) {
    return httpsPorts().contains(port);
  }
}
