// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The terminal that the host was started on, as long as the host is in its foreground. The kernel
 * stops a background process that reads from its terminal, so nothing is read then. Thread-safe.
 */
final class ForegroundTerminal implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long POLL_MILLIS = 100;

  private final InputStream input;
  private final PrintStream output;
  private final BooleanSupplier foreground;
  private final CountDownLatch closed = new CountDownLatch(1);

  ForegroundTerminal(InputStream input, PrintStream output, BooleanSupplier foreground) {
    this.input = input;
    this.output = output;
    this.foreground = foreground;
  }

  /** Returns the terminal of this process, which may not have one. */
  static ForegroundTerminal ofThisProcess() {
    return new ForegroundTerminal(System.in, System.err, ForegroundTerminal::isForeground);
  }

  /** Returns whether standard input and error are a terminal and this process is in front. */
  private static boolean isForeground() {
    try {
      if (!isTerminal(0) || !isTerminal(2)) {
        return false;
      }
      // proc(5): the program's name is in parentheses and may contain anything; behind it come
      // state, parent, process group, session, terminal, and the terminal's foreground group.
      String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return fields[2].equals(fields[5]);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isTerminal(int descriptor) throws IOException {
    String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
    return target.startsWith("/dev/pts/")
        || target.startsWith("/dev/tty")
        || target.equals("/dev/console");
  }

  /**
   * Asks a question that an empty line answers with yes. Blocks until there is an answer.
   *
   * @return null when there is no answer: no terminal, the terminal was taken away, or five minutes
   *     passed
   */
  @Nullable Boolean ask(String question) {
    if (!foreground.getAsBoolean()) {
      return null;
    }
    output.print(question);
    output.flush();
    String line = readLine();
    if (line == null) {
      output.println();
      return null;
    }
    String answer = line.strip().toLowerCase(Locale.ROOT);
    return answer.isEmpty() || answer.equals("y") || answer.equals("yes");
  }

  private @Nullable String readLine() {
    long end = System.nanoTime() + PATIENCE.toNanos();
    StringBuilder line = new StringBuilder();
    try {
      while (System.nanoTime() < end && foreground.getAsBoolean()) {
        // A terminal offers whole lines only, and a blocking read could not be ended.
        while (input.available() > 0) {
          int next = input.read();
          if (next == '\n' || next < 0) {
            return line.toString();
          }
          line.append((char) next);
        }
        if (closed.await(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          return null;
        }
      }
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return null;
  }

  /** Ends a question without an answer. */
  @Override
  public void close() {
    closed.countDown();
  }
}
