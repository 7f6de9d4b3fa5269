// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that plugins for other contracts, or with a copy of the contracts, are refused. */
final class RefusedContractsTest {
  private final PluginFolder folder;

  RefusedContractsTest(@TempDir Path directory) throws IOException {
    folder = new PluginFolder(directory);
  }

  @Test
  void refusesItsOwnCopyOfTheContracts() {
    folder.compile(PluginMaker.storage("com.copy", "copy")).into(folder.bad("copy.jar"));
    Map<String, String> contracts = PluginMaker.fakeContracts();
    folder.maker().compile("0.1.0", List.of(), contracts).into(folder.bad("spi.jar"));
    folder.refusedFor("spi.jar", "dev.ramet.spi", "the host brings this module");
  }

  @Test
  void refusesPackagesOfTheContracts() {
    Map<String, String> sources = new HashMap<>();
    sources.put("module-info.java", "module com.squatter { exports dev.ramet.spi.storage; }");
    sources.put(
        "dev/ramet/spi/storage/Mine.java", "package dev.ramet.spi.storage; public class Mine {}");
    folder.compile(sources).into(folder.bad("squatter.jar"));
    folder.refusedFor("squatter.jar", "com.squatter", "is one of the host's module dev.ramet.spi");
  }

  @Test
  void refusesAnotherVersionOfTheContracts() {
    refusedForContracts(
        "99.4", "future", "it was compiled against dev.ramet.spi 99.4, and this host has");
  }

  @Test
  void refusesAnUnknownVersionOfTheContracts() {
    refusedForContracts(null, "unknown", "it does not record the version");
  }

  private void refusedForContracts(@Nullable String version, String name, String cause) {
    PluginMaker maker = folder.maker();
    Path contracts =
        maker
            .compile(version, List.of(), PluginMaker.fakeContracts())
            .into(folder.beside("spi.jar"));
    maker
        .compile(null, List.of(contracts), PluginMaker.storage("com." + name, name))
        .into(folder.bad(name + ".jar"));
    folder.refusedFor(name + ".jar", "com." + name, cause);
  }
}
