// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the modules of a plugin before any of their code is loaded. They may require only the
 * contracts, the JDK and one another, so that the host's other modules can change without affecting
 * plugins.
 */
final class PluginRules {
  /** The host's modules that a plugin can use. */
  static final Set<String> CONTRACTS = Set.of("dev.ramet.errors", "dev.ramet.spi");

  private final Set<String> services;
  private final ModuleLayer host;
  private final Optional<SpiVersion> hostVersion;
  private final ModuleFinder jdk = ModuleFinder.ofSystem();

  /** The remedy for a plugin that was built against other contracts. */
  static final String BUILD_AGAIN =
      "install a release of the plugin for this host, or build it against this host's"
          + " contracts: see docs/how-to/write-plugin.md (Versions) and"
          + " docs/reference/releases.md for the changes";

  /**
   * Creates the rules.
   *
   * @param services names of the service types that plugins may provide
   * @param host the layer that holds the contracts
   * @param hostVersion version of this host's contracts; if empty, because the host was built
   *     without one, versions are not compared
   */
  PluginRules(Set<String> services, ModuleLayer host, Optional<SpiVersion> hostVersion) {
    this.services = Set.copyOf(services);
    this.host = host;
    this.hostVersion = hostVersion;
  }

  /** Refuses a plugin that breaks a rule. */
  void check(PluginJars jars) throws RefusedException {
    boolean provides = false;
    Map<String, ModuleReference> packages = new HashMap<>();
    for (ModuleReference module : jars.modules().values()) {
      ModuleDescriptor descriptor = module.descriptor();
      checkName(jars, module);
      for (String name : descriptor.packages()) {
        checkPackage(jars, module, name, packages.putIfAbsent(name, module));
      }
      for (Requires required : descriptor.requires()) {
        checkRequired(jars, module, required);
      }
      checkUse(jars, module);
      provides |= descriptor.provides().stream().anyMatch(p -> services.contains(p.service()));
    }
    if (!provides) {
      throw PluginJars.refusal(
          jars.plugin(),
          "",
          "",
          "none of its modules provides a service of dev.ramet.spi",
          "declare `provides dev.ramet.spi.storage.StorageBackendProvider with ...` or the like in"
              + " its module-info.java",
          null);
    }
  }

  private void checkName(PluginJars jars, ModuleReference module) throws RefusedException {
    String name = module.descriptor().name();
    if (CONTRACTS.contains(name) || jdk.find(name).isPresent()) {
      throw jars.refusal(
          module,
          "the host brings this module, and a second copy would be a different contract",
          "remove this jar; in a Maven build its scope is `provided`");
    }
  }

  private void checkPackage(
      PluginJars jars, ModuleReference module, String name, @Nullable ModuleReference other)
      throws RefusedException {
    if (other != null) {
      throw jars.refusal(
          module,
          "its package " + name + " is in " + PluginJars.jar(other) + " too",
          "keep each package in one jar of the folder");
    }
    for (String contract : CONTRACTS) {
      if (host.findModule(contract).filter(m -> m.getPackages().contains(name)).isPresent()) {
        throw jars.refusal(
            module,
            "its package " + name + " is one of the host's module " + contract,
            "give the plugin's packages other names");
      }
    }
  }

  private void checkRequired(PluginJars jars, ModuleReference module, Requires required)
      throws RefusedException {
    String name = required.name();
    if (CONTRACTS.contains(name)) {
      checkVersion(jars, module, required);
      return;
    }
    boolean there =
        jars.modules().containsKey(name)
            || (jdk.find(name).isPresent() && host.findModule(name).isPresent());
    if (!there && !required.modifiers().contains(Requires.Modifier.STATIC)) {
      throw jars.refusal(
          module,
          "it requires the module "
              + name
              + ", which is neither in the folder nor in the JDK that runs this host",
          "put the jar of "
              + name
              + " into the folder: a plugin can use only dev.ramet.errors and dev.ramet.spi of"
              + " the host");
    }
  }

  /** Refuses classes that use something of the contracts that this host's contracts do not have. */
  private void checkUse(PluginJars jars, ModuleReference module) throws RefusedException {
    List<Module> contracts =
        CONTRACTS.stream().flatMap(name -> host.findModule(name).stream()).toList();
    String missing;
    try {
      missing = new ContractUse(contracts).missing(module);
    } catch (IOException e) {
      throw jars.refusal(
          module, "its classes cannot be read: " + e.getMessage(), "copy or build the jar again");
    }
    if (missing != null) {
      throw jars.refusal(
          module, "it uses " + missing + ", which this host's contracts do not have", BUILD_AGAIN);
    }
  }

  private void checkVersion(PluginJars jars, ModuleReference module, Requires required)
      throws RefusedException {
    if (hostVersion.isEmpty()) {
      return;
    }
    SpiVersion host = hostVersion.get();
    Optional<String> recorded = required.rawCompiledVersion();
    Optional<SpiVersion> built = recorded.flatMap(SpiVersion::parse);
    if (built.isEmpty()) {
      throw jars.refusal(
          module,
          "it does not record the version of " + required.name() + " that it was compiled against",
          "compile it against the released jar of " + required.name() + " " + host);
    }
    if (!host.supports(built.get())) {
      throw jars.refusal(
          module,
          "it was compiled against "
              + required.name()
              + " "
              + recorded.get()
              + ", and this host has "
              + host,
          "install a release of the plugin for " + host + ", or compile it against that");
    }
  }
}
