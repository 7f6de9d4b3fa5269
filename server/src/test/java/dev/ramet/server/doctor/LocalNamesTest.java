// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the advice about names below {@code localhost}. */
class LocalNamesTest {
  @TempDir private Path place;

  @ParameterizedTest
  @CsvSource({
    "hosts: files dns, true",
    "hosts:\tfiles myhostname dns, false",
    "hosts: files resolve [!UNAVAIL=return] dns, false",
    "passwd: files myhostname, true",
    "# hosts: files myhostname, true",
  })
  void adviceNamesThePackage(String line, boolean needed) throws Exception {
    Path file = Files.writeString(place.resolve("nsswitch.conf"), line + "\n");
    assertEquals(needed, LocalNames.advice(file).isPresent(), line);
  }

  @Test
  void withoutTheFileOnlyDnsIsAsked() {
    assertTrue(LocalNames.advice(place.resolve("none")).orElse("").contains("libnss-myhostname"));
  }
}
