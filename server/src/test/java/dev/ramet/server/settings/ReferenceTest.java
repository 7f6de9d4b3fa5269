// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.certificates.TlsIdentity;
import dev.ramet.config.Configuration;
import dev.ramet.config.ConfigurationSources;
import dev.ramet.config.Problem;
import dev.ramet.engine.OutboundSettings;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.server.start.HostConfiguration;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import io.micronaut.core.convert.ConversionService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the catalogue describes exactly the settings that are read, and that the reference
 * page and the shipped file match it. With {@code RAMET_WRITE_REFERENCE=yes} the test rewrites
 * both.
 */
class ReferenceTest {
  private static final Path PROJECT = Path.of("..");

  /** Variables of tests and of the build, not for operators. */
  private static final Set<String> TESTS =
      Set.of(
          "RAMET_REQUIRE",
          "RAMET_TCK_KILLS",
          "RAMET_TCK_HISTORIES",
          "RAMET_TCK_RECOVERY_KILLS",
          "RAMET_TCK_TRACKED",
          "RAMET_TCK_MICRO");

  /** Variables that the recipes of templates receive. */
  private static final Set<String> RECIPES =
      Set.of(
          "RAMET_AGENT",
          "RAMET_BUILD",
          "RAMET_CACHE",
          "RAMET_DISK_MB",
          "RAMET_IMAGE",
          "RAMET_IMAGE_OPTIONS");

  @Test
  void thePageIsWrittenFromTheCatalogue() throws IOException {
    same("docs/reference/configuration.md", Pages.reference());
  }

  @Test
  void thePageTellsWhatNoGuestReaches() {
    String text = Pages.reference();
    OutboundSettings.THIS_HOST.forEach(
        network -> {
          assertTrue(text.contains(network), network);
          assertTrue(OutboundSettings.NEVER.type().allows(network), network);
        });
    for (String none : List.of("256.0.0.1", "1.2.3.4/33", "1.2.3", "::/129", "example.org")) {
      assertFalse(OutboundSettings.NEVER.type().allows(none), none);
    }
  }

  @Test
  void theShippedFileIsWrittenFromTheCatalogue() throws IOException {
    same("distribution/src/conf/ramet.yaml", Pages.file());
  }

  private static void same(String name, String text) throws IOException {
    Path path = PROJECT.resolve(name);
    if ("yes".equals(System.getenv("RAMET_WRITE_REFERENCE"))) {
      Files.writeString(path, text);
    }
    assertEquals(
        text, Files.readString(path), name + " is stale: write it with RAMET_WRITE_REFERENCE=yes");
  }

  @Test
  void theShippedFileIsRightWithEverythingSet() throws IOException {
    // Lines of prose have a space after the comment sign.
    String all = Pages.file().replaceAll("(?m)^( *)#(?! )", "$1");
    Path file = Files.createTempFile("ramet", ".yaml");
    try {
      Files.writeString(file, all);
      Configuration set =
          HostConfiguration.load(ConfigurationSources.create(file, Map.of(), Map.of()))
              .configuration();
      // The example certificate does not exist.
      assertEquals(
          Set.of("ramet.tls-certificate", "ramet.tls-key"),
          set.problems().stream().map(Problem::key).collect(Collectors.toSet()));
      assertEquals(
          Pages.CATALOG.settings().stream().filter(one -> !one.environmentOnly()).count(),
          set.fileProperties().size());
    } finally {
      Files.delete(file);
    }
  }

  /** A setting that a class declares and no list has would be refused as unknown. */
  @Test
  void whatIsDeclaredIsInTheCatalogue() throws IOException {
    Pattern declared = Pattern.compile("Setting\\s*\\.\\w+\\(\\s*\"([a-z][a-z.-]+)\"");
    Set<String> keys = new TreeSet<>();
    for (String module : new String[] {"spi", "plugin-host", "engine", "server"}) {
      keys.addAll(declared(module, declared, ""));
    }
    for (var plugin :
        Map.of(
                "hypervisors", "qemu",
                "backends-dmsnapshot", "dm-snapshot",
                "backends-btrfs", "btrfs",
                "backends-reflink-xfs", "reflink-xfs",
                "backends", "byte-copy",
                "memory-modes", "memory")
            .entrySet()) {
      keys.addAll(declared(plugin.getKey(), declared, PluginPolicy.prefix(plugin.getValue())));
    }
    keys.add(TlsIdentity.CERTIFICATE_SETTING);
    keys.add(TlsIdentity.KEY_SETTING);
    assertEquals(keys, described(key -> !key.startsWith("RAMET_")));
  }

  private static Set<String> declared(String module, Pattern pattern, String prefix)
      throws IOException {
    Set<String> keys = new TreeSet<>();
    for (String source : sources(module + "/src/main/java", ".java")) {
      Matcher matcher = pattern.matcher(source);
      while (matcher.find()) {
        keys.add(prefix + matcher.group(1));
      }
    }
    return keys;
  }

  @Test
  void whatIsReadFromTheEnvironmentIsInTheCatalogue() throws IOException {
    Set<String> read = new TreeSet<>();
    for (String module :
        new String[] {
          "errors",
          "api",
          "spi",
          "certificates",
          "config",
          "keys",
          "files",
          "linux",
          "backends",
          "engine",
          "server",
          "cli",
          "tck"
        }) {
      for (String source : sources(module + "/src/main/java", ".java")) {
        Matcher matcher = Pattern.compile("\"(RAMET_[A-Z_]*[A-Z])\"").matcher(source);
        while (matcher.find()) {
          read.add(matcher.group(1));
        }
      }
    }
    for (String source : sources("distribution/src", "")) {
      Matcher matcher = Pattern.compile("\\$\\{?(RAMET_[A-Z_]*[A-Z])").matcher(source);
      while (matcher.find()) {
        read.add(matcher.group(1));
      }
    }
    read.removeAll(TESTS);
    read.removeAll(RECIPES);
    // The launcher looks for jars in the same directory as the host.
    assertTrue(read.remove(Setting.variable("ramet.plugins-dir")));
    assertEquals(read, described(key -> key.startsWith("RAMET_")));
  }

  /** Commands find the host by the host's own settings, without the classes that declare them. */
  @Test
  void commandsNameSettingsThatThereAre() throws IOException {
    Set<String> named = new TreeSet<>();
    for (String source : sources("cli/src/main/java/dev/ramet/cli/local", ".java")) {
      Matcher matcher = Pattern.compile("\"(ramet[.][a-z-]+)\"").matcher(source);
      while (matcher.find()) {
        named.add(matcher.group(1));
      }
    }
    assertTrue(named.contains("ramet.port"), named::toString);
    named.removeAll(described(key -> key.startsWith("ramet.")));
    assertEquals(Set.of("ramet.sock"), named); // the name of a file
  }

  @ParameterizedTest
  @ValueSource(strings = {"500ms", "30s", "2m", "1h", "1d", "10ns", "PT1M30S"})
  void aTimeThatIsAllowedIsOneToMicronaut(String time) {
    Setting<Duration> any = Setting.duration("any", Duration.ZERO, "");
    assertEquals(
        ConversionService.SHARED.convert(time, Duration.class).orElseThrow(),
        Settings.of(Map.of("any", time)).get(any));
  }

  private static Set<String> described(java.util.function.Predicate<String> which) {
    return Pages.CATALOG.settings().stream()
        .map(Setting::key)
        .filter(which)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<String> sources(String directory, String end) throws IOException {
    try (Stream<Path> files = Files.walk(PROJECT.resolve(directory))) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> file.toString().endsWith(end))
          .map(
              file -> {
                try {
                  return Files.readString(file);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              })
          .toList();
    }
  }
}
