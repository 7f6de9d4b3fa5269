// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.term.Terminal;
import dev.ramet.errors.ErrorCode;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tests the behaviour common to all commands. */
final class CommandsTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @Test
  void jsonIsPassedOnToTheByte() {
    String odd = Answers.sandbox("abc", ",\"unknown\" : [1.50, {}]");
    host.on("/sandboxes", 201, odd);
    assertEquals(odd + "\n", host.run("sandbox", "create", "--json").out());
    assertEquals(odd + "\n", host.run("sandbox", "show", "abc", "--json").out());
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void theStatusIsThatOfTheErrorCode(ErrorCode code) {
    host.on(
        "/sandboxes/a", code.httpStatus(), Answers.error(code.httpStatus(), code.name(), "m", "r"));
    FakeHost.Outcome done = host.run("sandbox", "show", "a");
    assertEquals(code.exitStatus(), done.status());
    assertEquals("error: m\n  r\n", done.err());
    assertEquals("", done.out());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sandbox create --timeout soon",
        "sandbox create --memory 1X",
        "sandbox create --memory 99999999999",
        "sandbox create --bogus",
        "sandbox show",
        "sandbox",
        "nothing",
        "tour --clones 0",
        "sandbox cp a b",
        "sandbox cp a:/x b:/y",
        "sandbox cp a: y"
      })
  void badInputIsRefusedBeforeAnythingIsAsked(String line) {
    host.on("/", 200, "{}");
    FakeHost.Outcome done = host.run(line.split(" ", -1));
    assertEquals(2, done.status(), done.err());
    assertEquals(0, host.requests.size());
    assertTrue(!done.err().isEmpty());
  }

  @Test
  void everyCommandHasHelpWithExamples() {
    everyCommandHasHelp(Main.commandLine(Objects.requireNonNull(context())), "ramet");
  }

  static Context context() {
    return new Context(
        InputStream.nullInputStream(),
        OutputStream.nullOutputStream(),
        OutputStream.nullOutputStream(),
        Map.of(),
        Terminal.NONE);
  }

  private static void everyCommandHasHelp(CommandLine command, String path) {
    String usage = command.getUsageMessage();
    if (!path.equals("ramet")) {
      assertTrue(usage.contains("Examples:"), path);
    }
    assertTrue(usage.toLowerCase(Locale.ROOT).contains("--help"), path);
    command.getSubcommands().forEach((name, sub) -> everyCommandHasHelp(sub, path + " " + name));
  }
}
