// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingGroup;
import dev.ramet.spi.settings.SettingTypes;
import java.util.List;

/** The settings that the launcher and the command line read from the environment only. */
final class ProcessCatalogue {
  static final String CONFIG = "RAMET_CONFIG";
  static final String HOME = "RAMET_HOME";

  private ProcessCatalogue() {}

  static List<SettingGroup> groups() {
    return List.of(
        SettingGroup.of(
            "launcher",
            Setting.path(
                    CONFIG, "The file of settings, which must exist; --config takes precedence.")
                .orElse("conf/ramet.yaml of the installed layout, else /etc/ramet/ramet.yaml"),
            Setting.path("RAMET_JAVA_HOME", "The Java to run with, 17 or newer.")
                .orElse("JAVA_HOME, else the newest of 25, 21 and 17 in /usr/lib/jvm, else java"),
            Setting.of(
                "RAMET_JAVA_OPTS",
                SettingTypes.TEXT,
                "More options for the host's Java. Some options keep it from using the start-up"
                    + " archive, so that it starts more slowly."),
            Setting.path(HOME, "The directory of the installed layout.")
                .orElse("the launcher sets it")),
        SettingGroup.of(
            "command line",
            Setting.of(
                    "RAMET_SERVER",
                    SettingTypes.URL,
                    "The host that commands ask; --server and --context take precedence.")
                .orElse("the context in use, else the host on this machine by its own settings"),
            Setting.of(
                    "RAMET_CONTEXT",
                    SettingTypes.TEXT,
                    "The saved host that commands ask, or local for the one on this machine;"
                        + " --server, --context and RAMET_SERVER take precedence.")
                .orElse("the context in use"),
            Setting.path(
                    "RAMET_CA",
                    "A PEM file of the only certificate authorities that commands trust when the"
                        + " host speaks TLS; --ca takes precedence.")
                .orElse(
                    "for a host on this machine, its ramet.tls-certificate or tls/ca.pem in its"
                        + " data root; else those that Java trusts"),
            Setting.of(
                    "RAMET_API_KEY",
                    SettingTypes.TEXT,
                    "The API key that commands send to the host that --server or RAMET_SERVER"
                        + " names, else to the host on this machine. A context that names another"
                        + " host has its own key.")
                .hidden(),
            Setting.of(
                "RAMET_DEBUG",
                SettingTypes.TEXT,
                "If set to anything, a command that fails also prints where in the program it"
                    + " failed.")));
  }
}
