// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.HostPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a program of the host. Only its exit status is evaluated; its output is for people. */
final class Program {
  private final Path path;
  private final String remedy;

  private Program(Path path, String remedy) {
    this.path = path;
    this.remedy = remedy;
  }

  /**
   * Returns a program that is required; fails if it is missing.
   *
   * @param remedy how to install it, or what to look at when it fails
   */
  static Program require(String name, String remedy) {
    return HostPrograms.findInSbinToo(name)
        .map(path -> new Program(path, remedy))
        .orElseThrow(
            () ->
                new RametException(
                    ErrorCode.HOST_UNFIT,
                    "the program " + name + " is not installed",
                    remedy,
                    null));
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
