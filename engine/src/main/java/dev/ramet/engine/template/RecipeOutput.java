// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.engine.Progress;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of a recipe's program on a separate thread, so that a caller that cancels does
 * not wait for the next line, which may take minutes. Used by one thread.
 */
final class RecipeOutput {
  private static final long POLL_MILLIS = 100;

  private final Process process;

  /**
   * A line that was read.
   *
   * @param text the line, or null at the end
   */
  private record Read(@Nullable String text) {}

  private final BlockingQueue<Read> lines = new LinkedBlockingQueue<>();

  private RecipeOutput(Process process) {
    this.process = process;
  }

  /** Starts reading the output of a program that was just started, and closes its input. */
  static RecipeOutput startReading(Process process) throws IOException {
    process.getOutputStream().close();
    RecipeOutput output = new RecipeOutput(process);
    Thread reader = new Thread(output::read, "ramet-recipe");
    reader.setDaemon(true);
    reader.start();
    return output;
  }

  private void read() {
    try (BufferedReader output = process.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(new Read(line));
      }
    } catch (IOException e) {
      // The program was ended in the middle of a line; its exit status says the rest.
    } finally {
      lines.add(new Read(null));
    }
  }

  /**
   * Passes on every line until the program ends.
   *
   * @param progress checked meanwhile for cancellation
   * @return the program's exit status
   */
  int follow(Consumer<String> each, Progress progress) throws InterruptedException {
    while (true) {
      Read read = lines.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
      if (read == null) {
        progress.checkCancelled();
        continue;
      }
      String line = read.text();
      if (line == null) {
        return process.waitFor();
      }
      each.accept(line);
    }
  }
}
