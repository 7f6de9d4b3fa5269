// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingTypes;

/** The settings by which clients find the host. */
public final class HostSettings {
  /** The address to listen on. */
  public static final Setting<String> BIND =
      Setting.of(
              "ramet.bind",
              SettingTypes.ADDRESS,
              "Address to listen on. Without TLS, requests and keys cross the network unencrypted.")
          .byDefault("127.0.0.1");

  /** The TCP port to listen on; -1 for any free one. */
  public static final Setting<Integer> PORT =
      Setting.of(
              "ramet.port",
              SettingTypes.PORT,
              "TCP port; -1 takes any free one. E2B clients use 3000 in their debug mode.")
          .byDefault(3000);

  /**
   * The domain below which clients reach guests' ports. Without it, {@code localhost} with the
   * host's port is.
   */
  public static final Setting<String> DOMAIN =
      Setting.of(
              "ramet.domain",
              SettingTypes.DOMAIN,
              "Clients reach a guest's port at <port>-<sandboxID>.<domain>. The host also accepts"
                  + " requests for this name and all names below it.")
          .orElse("localhost:PORT, which names this host only on the host's own machine")
          .like("sandbox.example.org");

  private HostSettings() {}
}
