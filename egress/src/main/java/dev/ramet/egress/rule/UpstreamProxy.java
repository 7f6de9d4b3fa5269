// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import dev.ramet.errors.RametException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A SOCKS5 proxy (RFC 1928) through which a sandbox's connections leave the host. Immutable and
 * thread-safe.
 *
 * @param host the proxy's name or address
 * @param port the proxy's port
 * @param username the user to authenticate as (RFC 1929), or null
 * @param password that user's password, or null; never shown again
 */
public record UpstreamProxy(
    String host, int port, @Nullable String username, @Nullable String password) {
  private static final Pattern FORM = Pattern.compile("(?:\\[([^\\]]+)\\]|([^:]+)):([0-9]{1,5})");
  private static final int MAX_PORT = 65535;
  private static final int MAX_BYTES = 255;

  /**
   * Creates a proxy from the values of a request.
   *
   * @param address {@code host:port}, with an IPv6 address in brackets
   * @param username the user name, or null
   * @param password the password, or null; needs a user name
   * @throws RametException {@code INVALID_ARGUMENT} that names the invalid field
   */
  public static UpstreamProxy parse(
      @Nullable String address, @Nullable String username, @Nullable String password) {
    String where = "network.egressProxy.";
    Matcher parts = FORM.matcher(address == null ? "" : address);
    if (!parts.matches()) {
      throw RametException.invalid(where + "address", "must be host:port");
    }
    int port = Integer.parseInt(parts.group(3));
    if (port < 1 || port > MAX_PORT) {
      throw RametException.invalid(where + "address", "the port must be 1 to " + MAX_PORT);
    }
    String host = host(parts, where);
    checkBytes(where + "username", username);
    checkBytes(where + "password", password);
    if (password != null && username == null) {
      throw RametException.invalid(where + "password", "needs a username");
    }
    return new UpstreamProxy(host, port, username, password);
  }

  private static String host(Matcher parts, String where) {
    String inBrackets = parts.group(1);
    try {
      if (inBrackets != null) {
        checkAddress(inBrackets);
        return inBrackets;
      }
      String plain = String.valueOf(parts.group(2));
      if (HostPatterns.normalize(plain) == null) {
        checkAddress(plain);
      }
      return plain;
    } catch (IllegalArgumentException e) {
      throw RametException.invalid(where + "address", "the host must be a name or an address");
    }
  }

  private static void checkAddress(String text) {
    if (text.indexOf('/') >= 0) {
      throw new IllegalArgumentException("a network");
    }
    Cidr.parse(text);
  }

  private static void checkBytes(String where, @Nullable String text) {
    if (text != null) {
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      if (bytes == 0 || bytes > MAX_BYTES) {
        throw RametException.invalid(where, "must have 1 to " + MAX_BYTES + " bytes");
      }
    }
  }

  /** Returns {@code host:port}. */
  public String address() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  /** Returns a description without the password. */
  @Override
  public String toString() {
    return "UpstreamProxy[" + address() + (username == null ? "]" : ", " + username + "]");
  }
}
