// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import dev.ramet.config.SettingCatalog;
import dev.ramet.engine.start.PluginHost;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.server.start.HostConfiguration;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Generates the reference page of settings and the shipped file from the catalogue. */
final class Pages {
  private static final int WIDTH = 100;
  private static final String SECTION = "ramet.";

  /** All settings of a host with the built-in plugins alone. */
  static final SettingCatalog CATALOG =
      HostConfiguration.catalog(PluginHost.load(PluginPolicy.BUILT_IN));

  private Pages() {}

  /** Returns the content of {@code docs/reference/configuration.md}. */
  static String reference() {
    StringBuilder page =
        new StringBuilder(
            """
            <!-- Written from dev.ramet.config.SettingCatalog; ReferenceTest says how. -->
            # Settings

            A setting can be in the file of settings, in an environment variable, or in an option of `ramet serve`
            (`--set ramet.engine-wait=60s`). Options take precedence over system properties in `RAMET_JAVA_OPTS`
            (`-Dramet.engine-wait=60s`), those over variables, and variables over the file.

            A host reads one file: the one that `--config` names, else the one that `RAMET_CONFIG` names, else
            `conf/ramet.yaml` of the installed layout, else `/etc/ramet/ramet.yaml`. A file that was named must
            exist.

            ```yaml
            ramet:
              data-root: /srv/ramet
              storage-memory-root: /mnt/fast/ramet
              exchange-directories: [/srv/exchange, /backup]
              plugin:
                qemu:
                  binary: /opt/qemu/bin/qemu-system-x86_64
            ```

            Values are read literally: `auth: ON` is the word, not YAML's truth. Sizes look like `512M`, `4G` or `4GiB`,
            in powers of 1024; a plain number is in bytes. Times look like `500ms`, `30s`, `2m`, `1h30m` or
            `PT1M30S`; a plain number is in seconds. Options of commands take the same. In a variable or an option, commas separate several values. A
            variable's name is the setting's name in capitals, with `_` for `.` and `-`.

            A host checks all settings before it starts anything. It lists every setting that is unknown, of the
            wrong kind, out of range or in contradiction to another, each with its place, and ends with exit status 2:

            ```
            /etc/ramet/ramet.yaml:3: ramet.prot: no such setting; did you mean ramet.port
            environment variable RAMET_AUTH: ramet.auth: must be AUTO, ON or OFF, not maybe
            ```

            `ramet config check` does the same without starting, also for a file that is not in use
            (`--config FILE`). `ramet config show` prints the effective values, each with its source; `--json` is for
            programs. Both take the options of `ramet serve`. Neither they nor a host print a secret: the value of a
            setting that is marked *secret* here or that a plugin declares as such, or any value for a plugin that is
            not there.

            Other programs may have variables that begin with `RAMET_`. The host ignores one that is no setting, with
            a warning that names the nearest setting. It says nothing about those that Kubernetes adds for a
            service called `ramet` (`RAMET_PORT=tcp://…`, `RAMET_SERVICE_HOST`, …). Settings of Micronaut that are
            not on this page are not settings of Ramet.
            """);
    for (var part : parts().entrySet()) {
      String name = part.getKey();
      page.append("\n## ").append(Character.toUpperCase(name.charAt(0))).append(name.substring(1));
      page.append("\n\n");
      if (part.getValue().get(0).environmentOnly()) {
        page.append("In the environment only.\n\n");
      }
      page.append("| setting | value | default | |\n|---|---|---|---|\n");
      for (Setting<?> setting : part.getValue()) {
        page.append("| `").append(setting.key()).append("` | ").append(kind(setting)).append(" | ");
        page.append(fallback(setting)).append(" | ").append(cell(setting.meaning()));
        page.append(setting.secret() ? " *Secret.*" : "").append(" |\n");
      }
    }
    page.append(
        """

        ## Plugins of third parties

        `ramet.plugin.<id>.<key>` is for the plugin with that id, which declares its settings: `ramet config show`
        lists those of the plugins that are there, and the host checks them like its own. Settings of a plugin that
        is not there are not checked.
        """);
    return page.toString();
  }

  /** Returns the content of {@code conf/ramet.yaml}: all settings, none of them set. */
  static String file() {
    StringBuilder file =
        new StringBuilder(
            """
            # Settings of the host. Take the # off a line to set something; what is not set has the value
            # shown, or what is said above it. An environment variable (RAMET_DATA_ROOT) or an option of
            # `ramet serve` overrides what stands here. `ramet config check` says what is wrong with it,
            # `ramet config show` what holds.

            ramet:
            """);
    for (Setting<?> setting : CATALOG.settings()) {
      if (!setting.environmentOnly() && setting.key().startsWith(SECTION)) {
        entry(file, "  ", setting.key().substring(SECTION.length()), setting);
      }
    }
    for (Setting<?> setting : CATALOG.settings()) {
      if (!setting.environmentOnly() && !setting.key().startsWith(SECTION)) {
        entry(file, "", setting.key(), setting);
      }
    }
    return file.toString().strip() + "\n";
  }

  private static void entry(StringBuilder file, String indent, String name, Setting<?> setting) {
    String text = setting.meaning();
    if (setting.unit() != null && setting.unit().startsWith("bytes")) {
      text += " In " + setting.unit() + ".";
    }
    if (setting.unset() != null) {
      text += " Not set: " + setting.unset() + ".";
    }
    StringBuilder line = new StringBuilder(indent + "#");
    for (String word : text.split(" ", -1)) {
      if (line.length() + word.length() + 1 > WIDTH) {
        file.append(line).append('\n');
        line = new StringBuilder(indent + "#");
      }
      line.append(' ').append(word);
    }
    file.append(line).append('\n');
    String value = setting.fallback() != null ? setting.fallback() : setting.example();
    file.append(indent).append('#').append(name).append(": ");
    file.append(("" + value).replace(Setting.HOME, "/opt/ramet")).append("\n\n");
  }

  private static Map<String, List<Setting<?>>> parts() {
    Map<String, List<Setting<?>>> parts = new LinkedHashMap<>();
    for (SettingGroup group : CATALOG.groups()) {
      if (!group.settings().isEmpty()) {
        parts.computeIfAbsent(group.name(), part -> new ArrayList<>()).addAll(group.settings());
      }
    }
    return parts;
  }

  private static String kind(Setting<?> setting) {
    return cell(
        setting.type().description() + (setting.unit() == null ? "" : " (" + setting.unit() + ")"));
  }

  private static String fallback(Setting<?> setting) {
    if (setting.fallback() != null) {
      return "`"
          + setting.fallback().replace(Setting.HOME + "/", "")
          + "`"
          + (setting.fallback().startsWith(Setting.HOME) ? " of the installed layout" : "");
    }
    return setting.unset() == null ? "" : cell(setting.unset());
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("<", "&lt;");
  }
}
