// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingTypes;
import java.nio.file.Path;
import java.util.List;

/** The settings for connections that guests open. */
public final class OutboundSettings {
  /** This host itself and its link-local networks, on which clouds serve their metadata. */
  public static final List<String> THIS_HOST =
      List.of("127.0.0.0/8", "0.0.0.0/8", "169.254.0.0/16", "::/127", "fe80::/10");

  /** Whether guests may open connections unless their creator says otherwise. */
  public static final Setting<Boolean> BY_DEFAULT =
      Setting.toggle(
          "ramet.outbound",
          false,
          "Whether guests may open connections if the request that creates them does not say.");

  /** Addresses that no guest may reach, as far as the kernel can enforce it. */
  public static final Setting<List<String>> NEVER =
      Setting.of(
              "ramet.outbound-never",
              SettingTypes.NETWORKS,
              "Addresses and networks that no guest can reach, whatever its rules allow, except"
                  + " the guests' name servers on port 53. If empty, guests that may open"
                  + " connections can reach this host.")
          .orElse("127.0.0.0/8, 0.0.0.0/8, 169.254.0.0/16, ::/127 and fe80::/10: this host itself")
          .like("127.0.0.0/8,10.0.0.0/8");

  /** Authorities to trust when the host opens TLS connections on behalf of guests. */
  public static final Setting<Path> AUTHORITIES =
      Setting.path(
              "ramet.outbound-authorities",
              "A PEM file of certificate authorities that the host trusts in addition to Java's own"
                  + " when it puts headers into guests' HTTPS requests.")
          .orElse("those that Java trusts")
          .like("/etc/ramet/authorities.pem");

  private OutboundSettings() {}
}
