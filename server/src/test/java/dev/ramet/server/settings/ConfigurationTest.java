// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.config.Configuration;
import dev.ramet.config.ConfigurationSources;
import dev.ramet.config.Problem;
import dev.ramet.config.Value;
import dev.ramet.server.start.HostConfiguration;
import dev.ramet.spi.settings.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationTest {
  private static final Setting<Long> UPLOAD_BYTES = Setting.size("ramet.upload-bytes", "bytes", "");
  private static final Setting<Duration> START_TIMEOUT =
      Setting.duration("ramet.start-timeout", Duration.ZERO, "");

  @TempDir private Path directory;

  private Path write(String yaml) throws IOException {
    Path file = directory.resolve("ramet.yaml");
    Files.writeString(file, yaml, StandardCharsets.UTF_8);
    return file;
  }

  private Configuration of(String yaml) throws IOException {
    return load(yaml, Map.of(), Map.of(), Map.of());
  }

  private Configuration load(
      String yaml,
      Map<String, String> environment,
      Map<String, String> properties,
      Map<String, String> flags)
      throws IOException {
    return HostConfiguration.load(
            new ConfigurationSources(write(yaml), environment, properties, flags))
        .configuration();
  }

  private static List<String> problems(Configuration configuration) {
    return configuration.problems().stream()
        .map(Problem::toString)
        .map(line -> line.replaceFirst("^.*/ramet.yaml", "FILE"))
        .toList();
  }

  @Test
  void tellsAllThatIsWrongWithPlaces() throws IOException {
    Configuration wrong =
        load(
            """
            # a comment
            ramet:
              prot: 3000
              outbound: perhaps
              precopy-rounds: 101
              start-timeout: 60 s
              storage-memory-root: [a, b]
              exchange-directories: [/srv, relative]
              plugin:
                qemu:
                  binry: /x
                dm-snapshot: { reserve-bytes: 0 }
            micronaut:
              server:
                max-request-sise: 5
            """,
            Map.of("RAMET_DATAROOT", "/x", "RAMET_AUTH", "maybe", "RAMET_REQUIRE", "root"),
            Map.of("ramet.accelerator", "KVM", "java.home", "/x"),
            new TreeMap<>(Map.of("ramet.port", "70000", "port", "1")));
    assertEquals(
        List.of(
            "FILE:3: ramet.prot: no such setting; did you mean ramet.port",
            "FILE:4: ramet.outbound: must be true or false, not perhaps",
            "FILE:5: ramet.precopy-rounds: must be a whole number from 0 to 100, not 101",
            "FILE:6: ramet.start-timeout: must be a time like 500ms, 30s, 2m or PT1M30S, not 60 s",
            "FILE:7: ramet.storage-memory-root: must be one value, not a list",
            "FILE:8: ramet.exchange-directories: must be absolute paths separated by commas, not"
                + " relative",
            "FILE:11: ramet.plugin.qemu.binry: no such setting; did you mean"
                + " ramet.plugin.qemu.binary",
            "FILE:12: ramet.plugin.dm-snapshot.reserve-bytes: must be a size like 512M or 4G, or a"
                + " number of bytes, not 0",
            "FILE:15: micronaut.server.max-request-sise: no such setting; did you mean"
                + " micronaut.server.max-request-size",
            "environment variable RAMET_AUTH: ramet.auth: must be AUTO, ON or OFF, not maybe",
            "-Dramet.accelerator: must be auto, kvm or tcg, not KVM",
            "option for port: no such setting; did you mean ramet.port",
            "option for ramet.port: must be a port from 1 to 65535, or -1 for any free one, not"
                + " 70000"),
        problems(wrong));
    assertEquals(
        List.of(
            "environment variable RAMET_DATAROOT: no such setting, ignored; did you mean"
                + " RAMET_DATA_ROOT",
            "environment variable RAMET_REQUIRE: no such setting, ignored"),
        wrong.warnings().stream().map(Problem::toString).toList());
  }

  @Test
  void sizesAndTimesAreWrittenAsInOptions() throws IOException {
    Configuration written =
        of(
            "ramet: { upload-bytes: 4G, precopy-bytes: 512MiB, start-timeout: 1h30m, precopy-time:"
                + " 90 }\n");
    assertEquals(List.of(), written.problems());
    assertEquals("4G", written.text("ramet.upload-bytes"));
    assertEquals(4L << 30, written.settings().get(UPLOAD_BYTES));
    assertEquals(Duration.ofMinutes(90), written.settings().get(START_TIMEOUT));
  }

  @Test
  void laterPlacesGoFirst() throws IOException {
    String yaml = "ramet: { port: 1, bind: a, engine-wait: 1s, outbound: true }\n";
    Map<String, String> environment =
        Map.of("RAMET_PORT", "2", "RAMET_BIND", "b", "RAMET_ENGINE_WAIT", "2s");
    Configuration all =
        load(
            yaml,
            environment,
            Map.of("ramet.port", "3", "ramet.bind", "c"),
            Map.of("ramet.port", "4"));
    assertEquals(List.of(), all.problems());
    assertEquals("4", all.text("ramet.port"));
    assertEquals("c", all.text("ramet.bind"));
    assertEquals("2s", all.text("ramet.engine-wait"));
    assertEquals("true", all.text("ramet.outbound"));
    assertEquals("false", all.text("ramet.verify-captures"));
    assertNull(all.text("ramet.domain"));
    assertEquals("1", all.fileProperties().get("ramet.port"));
  }

  @Test
  void takesValuesAsTheyAreWritten() throws IOException {
    Configuration words =
        of(
            "ramet.auth: ON\nramet:\n  working-set: off\n  exchange-directories: []\n  port: '80'\n");
    assertEquals(List.of(), words.problems());
    assertEquals("ON", words.text("ramet.auth"));
    assertEquals("off", words.text("ramet.working-set"));
    assertEquals("", words.text("ramet.exchange-directories"));
    assertEquals("80", words.text("ramet.port"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# nothing\n\n",
        "---\n",
        "{}",
        "ramet: {}\n",
        "ramet:\n",
        "# a\nramet: # b\n"
      })
  void nothingSetIsNothingWrong(String yaml) throws IOException {
    assertEquals(List.of(), of(yaml).problems());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [1, 2]                                   | FILE:1: is not a list of settings
          ramet: { port: }                         | FILE:1: ramet.port: has no value
          ramet: { port: '' }                      | FILE:1: ramet.port: is empty
          ramet: { port: 1, port: 2 }              | FILE:1: ramet.port: is set twice, first in line 1
          ramet: { port: 0x10 }                    | FILE:1: ramet.port: must be a port
          ramet: { dataRoot: /x }                  | did you mean ramet.data-root
          ramet: { storage: { provision: OFF } }   | did you mean ramet.storage-provision
          ramet: { plugin: { acme: x } }           | FILE:1: ramet.plugin.acme: must be ramet.plugin.<id>.<key>
          ramet: { plugin: { qemu: { accelerator: tcg } } } | is set by ramet.accelerator
          ramet: { exchange-directories: ['/a,/b'] } | has a comma in one of its values
          RAMET_API_KEY: x                         | can be set in the environment only
          ramet: { auth: OFF, bind: 192.0.2.1 }    | FILE:1: ramet.auth: is OFF, and other machines
          ramet: { storage-memory-backend: btrfs } | needs ramet.storage-memory-root
          ramet: { storage-memory-root: /var/lib/ramet/../ramet } | is the data root itself
          ramet: { keys-file: /x, audit-log: /x }  | is the same file as ramet.keys-file
          ramet: &a { b: *a }                      | uses references
          ramet: { ? [1] : 2 }                     | contains a key that is not a name
          """)
  void refuses(String yaml, String expected) throws IOException {
    List<String> found = problems(of(yaml + "\n"));
    assertTrue(found.stream().anyMatch(line -> line.contains(expected)), found.toString());
  }

  @Test
  void saysWhereAFileIsNotYamlWithoutQuotingIt() throws IOException {
    String found = problems(of("ramet:\n  port: 1\n  password: \"hunter2\n")).toString();
    assertTrue(found.startsWith("[FILE:4: is not YAML: "), found);
    assertFalse(found.contains("hunter2"), found);
    found = problems(of("ramet: hunter2: 3\n")).toString();
    assertTrue(found.startsWith("[FILE:1: is not YAML: "), found);
    assertFalse(found.contains("hunter2"), found);
  }

  @Test
  void keepsSecretsBack() throws IOException {
    Configuration held =
        load(
            "ramet: { plugin: { acme: { api-token: hunter2, size: 3 } } }\n",
            Map.of("RAMET_API_KEY", "hunter2", "RAMET_PLUGIN_ACME_PASSWORD", "hunter2"),
            Map.of(),
            Map.of());
    assertEquals(List.of(), held.problems());
    assertFalse(held.values().toString().contains("hunter2"));
    // Nobody declares the settings of a plugin that is not there, so any may be secret.
    assertTrue(
        held.values().toString().contains("key=ramet.plugin.acme.size, text=" + Value.HIDDEN));
  }

  @Test
  void refusesFurtherFilesOfMicronaut() throws IOException {
    assertEquals(
        List.of(
            "environment variable MICRONAUT_CONFIG_FILES: micronaut.config.files: is not"
                + " supported: this host has one file of settings, RAMET_CONFIG"),
        problems(load("", Map.of("MICRONAUT_CONFIG_FILES", "/x"), Map.of(), Map.of())));
  }

  @Test
  void anEmptyVariableOfACommandIsNotSet() throws IOException {
    assertEquals(List.of(), load("", Map.of("RAMET_SERVER", ""), Map.of(), Map.of()).problems());
  }

  @Test
  void aFileThatIsNamedMustBeReadable() throws IOException {
    Path absent = directory.resolve("absent.yaml");
    Configuration none =
        HostConfiguration.load(ConfigurationSources.create(absent, Map.of(), Map.of()))
            .configuration();
    assertEquals(absent + ": does not exist", none.problems().get(0).toString());
    Path bytes = directory.resolve("bytes.yaml");
    Files.write(bytes, new byte[] {'a', (byte) 0xff});
    Configuration binary =
        HostConfiguration.load(
                ConfigurationSources.create(
                    null, Map.of("RAMET_CONFIG", bytes.toString()), Map.of()))
            .configuration();
    assertEquals(bytes + ": is not UTF-8 text", binary.problems().get(0).toString());
  }
}
