// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs a program of the host. Only its exit status is evaluated; its output is for people. */
final class Program {
  private static final Pattern SEPARATOR = Pattern.compile(File.pathSeparator);

  private final Path path;
  private final String remedy;

  private Program(Path path, String remedy) {
    this.path = path;
    this.remedy = remedy;
  }

  /**
   * Returns a program's path, or null; the sbin directories are searched even if PATH lacks them.
   */
  static @Nullable Path find(String name) {
    String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
    return Stream.concat(SEPARATOR.splitAsStream(path), Stream.of("/usr/sbin", "/sbin"))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns a program that is required; fails if it is missing.
   *
   * @param remedy how to install it, or what to look at when it fails
   */
  static Program require(String name, String remedy) {
    Path path = find(name);
    if (path == null) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "the program " + name + " is not installed", remedy, null);
    }
    return new Program(path, remedy);
  }

  /** Runs it to its end; any exit status but 0 is an error that includes its output. */
  void run(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(path.toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    try {
      Process process = builder.start();
      try {
        process.getOutputStream().close();
        byte[] output = process.getInputStream().readAllBytes();
        int exit = process.waitFor();
        if (exit != 0) {
          throw new RametException(
              ErrorCode.HOST_UNFIT,
              String.join(" ", command)
                  + " ended with status "
                  + exit
                  + ": "
                  + new String(output, StandardCharsets.UTF_8).strip(),
              remedy,
              null);
        }
      } finally {
        process.destroy();
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot run " + path + ": " + e.getMessage(), remedy, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while running " + path, e);
    }
  }
}
