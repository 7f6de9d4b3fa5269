// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how sizes and times in options are read, what errors say, and the versions. */
final class QuantitiesTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @ParameterizedTest
  @CsvSource({
    "512,512",
    "512M,512",
    "512MiB,512",
    "512mb,512",
    "1G,1024",
    "4GiB,4096",
    "2097152K,2048"
  })
  void sizes(String text, int mebibytes) {
    host.on("/sandboxes", 201, Answers.sandbox("a", ""));
    assertEquals(0, host.run("sandbox", "create", "--memory", text).status());
    assertTrue(host.requests.get(0).text().contains("\"memoryMB\":" + mebibytes));
  }

  @ParameterizedTest
  @CsvSource({"300,300", "90s,90", "15m,900", "2h,7200", "1h30m,5400", "1d,86400", "never,-1"})
  void times(String text, int seconds) {
    host.on("/sandboxes", 201, Answers.sandbox("a", ""));
    assertEquals(0, host.run("sandbox", "create", "--timeout", text).status());
    assertTrue(host.requests.get(0).text().contains("\"timeout\":" + seconds));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --memory  | 1X    | --memory is not a size: 1X          | 512M, 4G
          --disk    | 1500K | --disk is not in whole MiB: 1500K   | 512M, 4G
          --timeout | soon  | --timeout is not a time: soon       | 90s, 15m, 2h, never
          --timeout | 1ms   | --timeout is not in whole seconds   | 90s
          """)
  void errorsNameTheOptionAndGiveAnExample(
      String option, String value, String message, String example) {
    FakeHost.Outcome done = host.run("sandbox", "create", option, value);
    assertEquals(2, done.status());
    assertTrue(done.err().contains(message), done.err());
    assertTrue(done.err().contains(example), done.err());
  }

  @Test
  void errorsOfTheHostNameTheOptionToo() {
    String error = Answers.error(400, "INVALID_ARGUMENT", "memoryMB: is too small", "r");
    host.on("/sandboxes", 400, error.replace("{", "{\"field\":\"memoryMB\","));
    FakeHost.Outcome done = host.run("sandbox", "create", "--memory", "1");
    assertEquals("error: --memory: is too small\n  r\n", done.err());
  }

  @Test
  void versionsOfProgramAndHost() {
    host.on("/openapi.json", 200, "{\"info\":{\"version\":\"9.8\"}}");
    FakeHost.Outcome both = host.run("version");
    assertEquals(0, both.status(), both.err());
    assertTrue(both.out().startsWith("Client: " + Ramet.Version.number()), both.out());
    assertTrue(both.out().contains("Host: 9.8, " + host.address()), both.out());
    assertTrue(host.run("version", "--json").out().contains("\"host\":{\"version\":\"9.8\""));
    host.close();
    FakeHost.Outcome alone = host.run("version");
    assertEquals(6, alone.status());
    assertTrue(alone.out().startsWith("Client: "), alone.out());
    assertEquals(0, host.run("version", "--client").status());
  }
}
