// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.forward;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;

/**
 * A port here and the port in the guest that it leads to.
 *
 * @param local the port here, or 0 for any free one
 * @param remote the port in the guest
 */
record PortPair(int local, int remote) {
  private static final int MAX_PORT = 65_535;

  /** Parses {@code 8080}, {@code 8080:80} or {@code :80}. */
  static PortPair parse(String text) {
    int colon = text.indexOf(':');
    String there = text.substring(colon + 1);
    String here = colon < 0 ? text : text.substring(0, colon);
    return new PortPair(here.isEmpty() ? 0 : port(here, text, 0), port(there, text, 1));
  }

  private static int port(String digits, String all, int least) {
    try {
      int port = Integer.parseInt(digits);
      if (port >= least && port <= MAX_PORT && Character.isDigit(digits.charAt(0))) {
        return port;
      }
    } catch (NumberFormatException e) {
      // Refused below.
    }
    throw new RametException(
        ErrorCode.INVALID_ARGUMENT,
        "not a port: " + all,
        "write LOCAL:REMOTE like 8080:80, one number for both, or :80 for any free port here",
        null);
  }
}
