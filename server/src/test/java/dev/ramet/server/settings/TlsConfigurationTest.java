// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.config.ConfigurationSources;
import dev.ramet.server.start.HostConfiguration;
import dev.ramet.server.tls.TestFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a certificate that clients would reject is rejected at start. */
class TlsConfigurationTest {
  @TempDir private static Path directory;

  @BeforeAll
  static void make() throws IOException {
    TestFiles.make(directory, "good", 30);
    TestFiles.make(directory, "other", 30);
    TestFiles.make(directory, "old", 1, "-startdate", "-10d");
    TestFiles.make(directory, "early", 30, "-startdate", "+5d");
    Files.writeString(directory.resolve("text"), "no certificate\n");
    Files.writeString(
        directory.resolve("broken"),
        """
        -----BEGIN CERTIFICATE-----
        abcd
        -----END CERTIFICATE-----
        -----BEGIN PRIVATE KEY-----
        abcd
        -----END PRIVATE KEY-----
        """);
    Files.writeString(
        directory.resolve("sec1"),
        "-----BEGIN EC PRIVATE KEY-----\nabcd\n-----END EC PRIVATE KEY-----\n");
    Files.writeString(
        directory.resolve("locked"),
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nabcd\n-----END ENCRYPTED PRIVATE KEY-----\n");
    Files.createSymbolicLink(directory.resolve("circle"), directory.resolve("circle"));
    Files.writeString(
        directory.resolve("unordered"),
        Files.readString(directory.resolve("good.crt"))
            + Files.readString(directory.resolve("other.crt")));
    Files.writeString(
        directory.resolve("both"),
        Files.readString(directory.resolve("good.key"))
            + Files.readString(directory.resolve("good.crt")));
  }

  /** Returns the errors in a file of settings that begins with a line {@code ramet:}. */
  private static List<String> problems(String... lines) throws IOException {
    Path file = directory.resolve("ramet.yaml");
    Files.writeString(file, "ramet:\n  " + String.join("\n  ", lines) + "\n");
    return HostConfiguration.load(new ConfigurationSources(file, Map.of(), Map.of(), Map.of()))
        .configuration()
        .problems()
        .stream()
        .map(problem -> problem.toString().replace(directory + "/", ""))
        .toList();
  }

  private static List<String> files(String certificate, String key) throws IOException {
    return problems(
        "tls: ON",
        "tls-certificate: " + directory.resolve(certificate),
        "tls-key: " + directory.resolve(key));
  }

  @Test
  void whatIsRight() throws IOException {
    assertEquals(List.of(), problems("tls: ON"));
    assertEquals(List.of(), problems("tls: on", "tls-names: [ramet.example.org, 192.0.2.1]"));
    assertEquals(List.of(), files("good.crt", "good.key"));
    assertEquals(List.of(), files("both", "both"));
  }

  @Test
  void bothFilesAreToldAtOnceWithTheirLines() throws IOException {
    assertEquals(
        List.of(
            "ramet.yaml:3: ramet.tls-certificate: names a file that does not exist: none",
            "ramet.yaml:4: ramet.tls-key: holds no private key in PEM form: text"),
        files("none", "text"));
    assertEquals(
        List.of(
            "ramet.yaml:3: ramet.tls-certificate: holds a certificate that cannot be read: broken",
            "ramet.yaml:4: ramet.tls-key: holds a private key that is not RSA, EC or EdDSA: broken"),
        files("broken", "broken"));
  }

  @Test
  void whatIsWrongWithOne() throws IOException {
    for (String[] each :
        new String[][] {
          {"good.crt", "other.key", "tls-key: is not the key of the certificate in good.crt"},
          {"old.crt", "old.key", "tls-certificate: has expired, on "},
          {"early.crt", "early.key", "tls-certificate: is not valid before "},
          {"unordered", "good.key", "tls-certificate: must list the host's certificate first"},
          {"good.key", "good.key", "tls-certificate: holds no certificate in PEM form"},
          {"", "good.key", "tls-certificate: is a directory"},
          {"circle", "good.key", "tls-certificate: cannot be read: circle"},
          {"good.crt", "sec1", "tls-key: holds \"EC PRIVATE KEY\""},
          {"good.crt", "locked", "tls-key: holds \"ENCRYPTED PRIVATE KEY\""},
        }) {
      List<String> found = files(each[0], each[1]);
      assertEquals(1, found.size(), "" + found);
      assertTrue(found.get(0).contains(": ramet." + each[2]), found.get(0));
    }
  }

  @Test
  void whatDoesNotFitTogether() throws IOException {
    String certificate = "tls-certificate: " + directory.resolve("good.crt");
    String key = "tls-key: " + directory.resolve("good.key");
    assertEquals(
        List.of("ramet.yaml:3: ramet.tls-certificate: needs ramet.tls-key"),
        problems("tls: ON", certificate));
    assertEquals(
        List.of("ramet.yaml:3: ramet.tls-key: needs ramet.tls-certificate"),
        problems("tls: ON", key));
    assertEquals(2, problems(certificate, key).size());
    assertEquals(List.of(), problems("tls-names: a"), "requests may be for it without TLS too");
    assertEquals(List.of(), problems("tls: ON", certificate, key, "tls-names: a"));
    assertEquals(
        List.of("ramet.yaml:2: ramet.tls: must be OFF or ON, not true"), problems("tls: true"));
  }
}
