// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.config.Configuration;
import dev.ramet.config.ConfigurationSources;
import dev.ramet.config.SettingCatalog;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.start.EngineSettings;
import dev.ramet.engine.start.PluginHost;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.server.access.AccessControl;
import dev.ramet.server.access.LocalSocket;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.server.storage.ExchangeDirectories;
import dev.ramet.server.template.FirstTemplate;
import dev.ramet.server.template.UploadStore;
import dev.ramet.server.tls.TlsProperties;
import dev.ramet.spi.settings.SettingGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The settings of this host, checked against what its modules and its plugins declare. Starts
 * nothing. Immutable and thread-safe.
 *
 * @param configuration the settings and the errors in them
 * @param plugins the plugins, whose settings are among them
 */
public record HostConfiguration(Configuration configuration, PluginHost plugins) {
  /**
   * Reads the settings. The folder of plugins is a setting itself, so plugins are loaded with the
   * settings of the host, and then everything is read again with theirs.
   */
  public static HostConfiguration load(ConfigurationSources sources) {
    Configuration first = loadWithoutPlugins(sources);
    PluginHost plugins = PluginHost.load(PluginPolicy.from(first.settings()));
    return new HostConfiguration(
        Configuration.load(catalog(plugins), sources, new CrossChecks()), plugins);
  }

  /**
   * Reads the settings of the host and its engine without loading any plugin, for commands that
   * need nothing else. Settings of plugins are accepted unchecked.
   */
  public static Configuration loadWithoutPlugins(ConfigurationSources sources) {
    SettingCatalog host = new SettingCatalog(groups(List.of()), Set.of());
    return Configuration.load(host, sources, Configuration.Checks.NONE);
  }

  /** Returns all settings of a host with these plugins. */
  public static SettingCatalog catalog(PluginHost plugins) {
    List<SettingGroup> groups =
        groups(List.of(new SettingGroup("built-in plugins", plugins.builtInSettings())));
    groups.add(new SettingGroup("plugins of third parties", plugins.pluginSettings()));
    return new SettingCatalog(groups, plugins.ids());
  }

  private static List<SettingGroup> groups(List<SettingGroup> plugins) {
    List<SettingGroup> groups = new ArrayList<>();
    groups.add(
        SettingGroup.of(
            "host",
            HostSettings.BIND,
            HostSettings.PORT,
            EngineConfig.DATA_ROOT,
            HostSettings.DOMAIN,
            EngineHolder.WAIT,
            FirstTemplate.BUILD,
            ExchangeDirectories.DIRECTORIES,
            UploadStore.BYTES));
    groups.add(
        SettingGroup.of(
            "access",
            AccessControl.AUTH,
            LocalSocket.SOCKET,
            AccessControl.KEYS_FILE,
            AccessControl.RATE_LIMIT,
            AccessControl.AUDIT_LOG));
    groups.add(
        SettingGroup.of(
            "TLS",
            TlsProperties.TLS,
            TlsProperties.CERTIFICATE,
            TlsProperties.KEY,
            TlsProperties.NAMES));
    groups.addAll(EngineSettings.groups());
    groups.addAll(plugins);
    groups.add(FrameworkSettings.group());
    return groups;
  }
}
