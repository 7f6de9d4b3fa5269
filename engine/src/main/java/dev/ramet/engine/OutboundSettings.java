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
          "Whether guests may open connections when the request for them does not say.");

  /** Addresses that no guest may reach, as far as the kernel can enforce it. */
  public static final Setting<List<String>> NEVER =
      Setting.of(
              "ramet.outbound-never",
              SettingTypes.NETWORKS,
              "Addresses and networks that no guest reaches, whatever a request allows. Their"
                  + " name servers are reached all the same, at port 53. Set to nothing: guests"
                  + " that may open connections reach this host itself.")
          .orElse("127.0.0.0/8, 0.0.0.0/8, 169.254.0.0/16, ::/127 and fe80::/10: this host itself")
          .like("127.0.0.0/8,10.0.0.0/8");

  /** Authorities to trust when the host opens TLS connections on behalf of guests. */
  public static final Setting<Path> AUTHORITIES =
      Setting.path(
              "ramet.outbound-authorities",
              "A PEM file of authorities that the host trusts, beside those that Java does, where"
                  + " it puts headers into requests of guests to hosts that speak TLS.")
          .orElse("those that Java trusts")
          .like("/etc/ramet/authorities.pem");

  private OutboundSettings() {}
}
