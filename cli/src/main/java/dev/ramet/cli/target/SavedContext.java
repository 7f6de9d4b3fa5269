// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.target;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A host that the user gave a name. Immutable and thread-safe.
 *
 * @param name its name
 * @param server the host's address
 * @param authority a PEM file of the only authorities to trust, or null
 * @param keyFile a file that holds the API key, or null
 * @param keyCommand a command of the shell that prints the API key, or null
 */
public record SavedContext(
    String name,
    String server,
    @Nullable String authority,
    @Nullable String keyFile,
    @Nullable String keyCommand) {
  /** A keyring may ask the user for its passphrase. */
  private static final long KEY_COMMAND_MINUTES = 2;

  /** Returns whether it has a key of its own. */
  public boolean hasKey() {
    return keyFile != null || keyCommand != null;
  }

  /**
   * Returns its API key, or null when it has none of its own.
   *
   * @throws RametException {@code INVALID_ARGUMENT} when the file cannot be read or the command
   *     fails
   */
  public @Nullable String key() {
    if (keyFile != null) {
      return readFile(keyFile);
    }
    return keyCommand == null ? null : runCommand(keyCommand);
  }

  private String readFile(String file) {
    try {
      return firstLine(Files.readString(Path.of(file)), "the file " + file);
    } catch (IOException e) {
      throw noKey("its file cannot be read: " + file, e);
    }
  }

  private String runCommand(String command) {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", command)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    // The command's input is not the user's: that may be data for the sandbox.
    try {
      Process process = builder.start();
      CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> output(process));
      String printed;
      try {
        printed = output.get(KEY_COMMAND_MINUTES, TimeUnit.MINUTES);
      } catch (TimeoutException e) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw noKey("its command does not end: " + command, e);
      }
      if (!process.waitFor(KEY_COMMAND_MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw noKey("its command does not end: " + command, null);
      }
      if (process.exitValue() != 0) {
        throw noKey("its command ended with status " + process.exitValue() + ": " + command, null);
      }
      return firstLine(printed, "the command " + command);
    } catch (IOException | ExecutionException e) {
      throw noKey("its command cannot be run: " + command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted", e);
    }
  }

  private static String output(Process process) {
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String firstLine(String text, String source) {
    String line = text.strip().lines().findFirst().orElse("");
    if (line.isEmpty()) {
      throw noKey(source + " holds none", null);
    }
    return line;
  }

  private RametException noKey(String why, @Nullable Exception cause) {
    return new RametException(
        ErrorCode.INVALID_ARGUMENT,
        "no API key for the context " + name + ": " + why,
        "change the context: ramet context add " + name + " " + server + " --replace",
        cause);
  }
}
