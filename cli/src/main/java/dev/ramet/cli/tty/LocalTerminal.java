// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tty;

import dev.ramet.agent.TerminalSize;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The terminal on standard input, in raw mode until closed: every key goes to the program in the
 * guest, also Ctrl-C. The mode is set with {@code stty}, which every Debian system has; so nothing
 * native is loaded, and other commands start as fast as before. The mode is also restored when a
 * signal ends this process. Thread-safe.
 */
public final class LocalTerminal implements AutoCloseable {
  private static final Path INPUT = Path.of("/proc/self/fd/0");

  private final String before;
  private final AtEnd restorer = new AtEnd(this::restore);
  private boolean restored;

  private LocalTerminal(String before) {
    this.before = before;
  }

  /** Returns whether standard input is a terminal. */
  public static boolean isInput() {
    try {
      String target = Files.readSymbolicLink(INPUT).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException e) {
      return false; // closed, or no /proc
    }
  }

  /**
   * Switches the terminal to raw mode.
   *
   * @throws RametException UNSUPPORTED if that is impossible
   */
  public static LocalTerminal raw() {
    LocalTerminal terminal = new LocalTerminal(stty("-g").strip());
    stty("raw", "-echo");
    return terminal;
  }

  /** Returns the terminal's size; the usual one if it does not say. */
  public static TerminalSize size() {
    String[] sides = stty("size").strip().split(" ", -1);
    try {
      int rows = Integer.parseInt(sides[0]);
      int columns = Integer.parseInt(sides[sides.length - 1]);
      return rows > 0 && columns > 0 ? new TerminalSize(columns, rows) : TerminalSize.USUAL;
    } catch (NumberFormatException e) {
      return TerminalSize.USUAL;
    }
  }

  private static String stty(String... arguments) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(arguments));
    try {
      Process stty =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.INHERIT)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String out = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (stty.waitFor() == 0) {
        return out;
      }
    } catch (IOException e) {
      throw unusable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw unusable(null);
  }

  private static RametException unusable(@Nullable Exception cause) {
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "stty cannot change the terminal",
        "install coreutils, or use: ramet sandbox exec -i ID -- sh",
        cause);
  }

  private synchronized void restore() {
    if (!restored) {
      restored = true;
      stty(before);
    }
  }

  @Override
  public void close() {
    restore();
    restorer.close();
  }
}
