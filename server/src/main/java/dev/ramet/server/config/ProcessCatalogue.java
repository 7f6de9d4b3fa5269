// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import dev.ramet.server.config.SettingCatalog.Part;
import java.util.List;

/** The settings that the launcher and the command line read from the environment only. */
final class ProcessCatalogue {
  static final String CONFIG = "RAMET_CONFIG";
  static final String HOME = "RAMET_HOME";

  private ProcessCatalogue() {}

  static void addTo(List<Setting> list) {
    Part launcher = new Part(list, "launcher");
    launcher.add(
        launcher
            .setting(
                CONFIG,
                Types.FILE,
                null,
                "The file of settings; --config goes before it. It must be there.")
            .orElse("conf/ramet.yaml of the installed layout, else /etc/ramet/ramet.yaml"));
    launcher.add(
        launcher
            .setting("RAMET_JAVA_HOME", Types.FILE, null, "The Java to run with, 17 or newer.")
            .orElse("JAVA_HOME, else the newest of 25, 21 and 17 in /usr/lib/jvm, else java"));
    launcher.add(
        launcher.setting(
            "RAMET_JAVA_OPTS",
            Types.TEXT,
            null,
            "More options for the host's Java. One that a start-up archive does not fit costs the"
                + " archive."));
    launcher.add(
        launcher
            .setting(HOME, Types.FILE, null, "The directory of the installed layout.")
            .orElse("the launcher sets it"));
    Part cli = new Part(list, "command line");
    cli.add(
        cli.setting(
                "RAMET_SERVER",
                Types.URL,
                null,
                "The host that commands ask; --server goes before it.")
            .orElse("http://127.0.0.1 with RAMET_PORT or 3000; https:// where RAMET_TLS is ON"));
    cli.add(
        cli.setting(
                "RAMET_CA",
                Types.FILE,
                null,
                "A PEM file of the only authorities that commands trust when the host speaks TLS;"
                    + " --ca goes before it.")
            .orElse(
                "for a host on this machine, tls/ca.pem in RAMET_DATA_ROOT or /var/lib/ramet; else"
                    + " those that Java trusts"));
    cli.add(
        cli.setting("RAMET_API_KEY", Types.TEXT, null, "The API key that commands send.").hidden());
    cli.add(
        cli.setting(
            "RAMET_DEBUG",
            Types.TEXT,
            null,
            "Set to anything: a command that fails also prints where in the program."));
  }
}
