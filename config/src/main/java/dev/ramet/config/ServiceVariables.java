// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import java.util.regex.Pattern;

/**
 * The environment variables that Kubernetes and container links add for a service called {@code
 * ramet}, or one whose name begins with {@code ramet-}. They are not settings.
 *
 * @see <a href="https://kubernetes.io/docs/concepts/services-networking/service/">Kubernetes:
 *     Service, environment variables</a>
 */
public final class ServiceVariables {
  private static final String PREFIX = "RAMET_";

  /** {@code NAME_SERVICE_HOST}, {@code NAME_SERVICE_PORT} and {@code NAME_SERVICE_PORT_HTTP}. */
  private static final Pattern SERVICE = Pattern.compile("RAMET_(.*_)?SERVICE_(HOST|PORT(_.+)?)");

  /**
   * {@code NAME_PORT_3000_TCP} and the same with {@code _PROTO}, {@code _PORT} and {@code _ADDR}.
   */
  private static final Pattern LINK =
      Pattern.compile("RAMET_(.*_)?PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");

  /** The value of {@code NAME_PORT}. */
  private static final Pattern ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");

  private ServiceVariables() {}

  /** Returns whether a variable was added for a service and not set for this program. */
  public static boolean isInjected(String name, String value) {
    return name.startsWith(PREFIX)
        && (SERVICE.matcher(name).matches()
            || LINK.matcher(name).matches()
            || (name.endsWith("_PORT") && ADDRESS.matcher(value).matches()));
  }
}
