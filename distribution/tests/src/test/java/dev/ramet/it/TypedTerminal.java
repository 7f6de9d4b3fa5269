// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The installed command line on a real pseudo-terminal of 100 columns and 30 rows, typed into by a
 * test. The kernel's side of the terminal is in Python, because Java has no pseudo-terminals.
 */
final class TypedTerminal implements AutoCloseable {
  private final Process process;
  private final BufferedReader answers;
  private final PrintStream steps;

  private TypedTerminal(Process process) {
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.steps = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  /** Starts the command line on a terminal. */
  static TypedTerminal start(Installed host, Path scratch, String... arguments) throws IOException {
    Path script = scratch.resolve("terminal.py");
    try (InputStream in =
        Objects.requireNonNull(TypedTerminal.class.getResourceAsStream("terminal.py"))) {
      Files.write(script, in.readAllBytes());
    }
    List<String> command =
        new ArrayList<>(List.of("python3", script.toString(), Installed.program().toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(scratch.resolve("log").toFile()));
    builder.environment().putAll(host.environment());
    builder.environment().put("TERM", "xterm");
    return new TypedTerminal(builder.start());
  }

  /** Waits until the terminal shows a text, after those it was already waited for. */
  TypedTerminal expect(String text) throws IOException {
    return step("expect " + text);
  }

  /** Types a text, in which Python's escapes stand for control characters. */
  TypedTerminal type(String text) throws IOException {
    return step("type " + text);
  }

  TypedTerminal size(int columns, int rows) throws IOException {
    return step("size " + columns + " " + rows);
  }

  TypedTerminal signal(int number) throws IOException {
    return step("signal " + number);
  }

  private TypedTerminal step(String step) throws IOException {
    steps.println(step);
    assertEquals("ok", answers.readLine(), step);
    return this;
  }

  /** Waits for the command's end, and checks that it leaves the terminal as it found it. */
  int exit() throws Exception {
    steps.println("done");
    String said = String.valueOf(answers.readLine());
    assertTrue(said.startsWith("exit ") && said.endsWith(" restored"), said);
    assertTrue(process.waitFor(1, TimeUnit.MINUTES), "it does not end");
    return Integer.parseInt(said.split(" ", -1)[1]);
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
