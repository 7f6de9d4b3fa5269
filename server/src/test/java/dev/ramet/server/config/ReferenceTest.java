// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EngineConfig;
import dev.ramet.server.access.LocalSocket;
import dev.ramet.server.settings.AccessSettings;
import dev.ramet.server.settings.EngineSettings;
import dev.ramet.server.settings.ExchangeSettings;
import dev.ramet.server.settings.ServerSettings;
import dev.ramet.server.settings.TlsSettings;
import dev.ramet.server.settings.UploadSettings;
import io.micronaut.core.convert.ConversionService;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
          "RAMET_TCK_TRACKED");

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
    EngineConfig.Outbound.THIS_HOST.forEach(
        network -> {
          assertTrue(text.contains(network), network);
          assertTrue(Types.NETWORKS.rule().allows(network), network);
        });
    for (String none : List.of("256.0.0.1", "1.2.3.4/33", "1.2.3", "::/129", "example.org")) {
      assertFalse(Types.NETWORKS.rule().allows(none), none);
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
      Configuration set = Configuration.load(Sources.of(file, Map.of(), Map.of()));
      // The example certificate does not exist.
      assertEquals(
          Set.of("ramet.tls-certificate", "ramet.tls-key"),
          set.problems().stream().map(Problem::key).collect(Collectors.toSet()));
      assertEquals(
          SettingCatalog.settings().stream().filter(one -> !one.environmentOnly()).count(),
          set.fileProperties().size());
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void whatMicronautBindsIsInTheCatalogue() {
    Set<String> bound = new TreeSet<>();
    for (Class<?> type :
        List.of(
            ServerSettings.class,
            UploadSettings.class,
            EngineSettings.class,
            ExchangeSettings.class,
            AccessSettings.class,
            TlsSettings.class)) {
      for (RecordComponent component : type.getRecordComponents()) {
        bound.add(
            "ramet." + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
      }
    }
    bound.add(LocalSocket.SETTING); // read before there are beans
    assertEquals(bound, described(key -> key.matches("ramet\\.[a-z-]+")));
  }

  @Test
  void whatPluginsReadIsInTheCatalogue() throws IOException {
    Pattern read = Pattern.compile("settings\\(\\)(?:\\.\\w+\\(|,\\s*)\"([a-z-]+)\"");
    Set<String> keys = new TreeSet<>();
    for (var plugin :
        Map.of(
                "hypervisors", "qemu",
                "backends-dmsnapshot", "dm-snapshot",
                "backends-btrfs", "btrfs",
                "backends-reflink-xfs", "reflink-xfs",
                "backends", "byte-copy",
                "memory-modes", "memory")
            .entrySet()) {
      for (String source : sources(plugin.getKey() + "/src/main/java", ".java")) {
        Matcher matcher = read.matcher(source);
        while (matcher.find()) {
          keys.add(SettingCatalog.PLUGIN + plugin.getValue() + "." + matcher.group(1));
        }
      }
    }
    // Has a different name than the plugin's setting: ramet.accelerator.
    assertTrue(keys.remove(SettingCatalog.PLUGIN + "qemu.accelerator"));
    assertEquals(keys, described(key -> key.startsWith(SettingCatalog.PLUGIN)));
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
    // Commands find the host by the host's own settings.
    for (String key : new String[] {"ramet.port", "ramet.tls", "ramet.data-root", "ramet.socket"}) {
      assertTrue(read.remove(Setting.variable(key)), key);
    }
    assertEquals(read, described(key -> key.startsWith("RAMET_")));
  }

  @Test
  void wordsAreTheProgramsOwn() {
    same("ramet.auth", AccessSettings.Auth.values());
    same("ramet.tls", TlsSettings.Mode.values());
    same("ramet.storage-provision", EngineConfig.Provision.values());
    same("ramet.memory-volumes", EngineConfig.MemoryVolumes.values());
    same("ramet.working-set", EngineConfig.Switch.values());
  }

  private static void same(String key, Enum<?>[] constants) {
    String words = setting(key).type().description().replace(" or ", ", ");
    assertEquals(Arrays.stream(constants).map(Enum::name).collect(Collectors.joining(", ")), words);
  }

  @ParameterizedTest
  @ValueSource(strings = {"500ms", "30s", "2m", "1h", "1d", "10ns", "PT1M30S"})
  void aTimeThatIsAllowedIsOneToMicronaut(String time) {
    assertTrue(Types.DURATION.rule().allows(time));
    assertTrue(ConversionService.SHARED.convert(time, Duration.class).isPresent());
  }

  private static Setting setting(String key) {
    return SettingCatalog.settings().stream()
        .filter(one -> one.key().equals(key))
        .findFirst()
        .orElseThrow();
  }

  private static Set<String> described(java.util.function.Predicate<String> which) {
    return SettingCatalog.settings().stream()
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
