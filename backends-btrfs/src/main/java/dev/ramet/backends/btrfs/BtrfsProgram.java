// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.HostPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the program {@code btrfs} of btrfs-progs, which knows the format of streams. Only its exit
 * status is evaluated; its output is for people.
 */
final class BtrfsProgram {
  private final Path path;

  BtrfsProgram(Path path) {
    this.path = path;
  }

  /**
   * Returns the program's path, or null; the sbin directories are searched even if PATH lacks them.
   */
  static @Nullable Path find() {
    return HostPrograms.findInSbinToo("btrfs").orElse(null);
  }

  /** Runs it to its end; returns its output if it failed, otherwise null. */
  @Nullable String run(String... arguments) {
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
        return process.waitFor() == 0 ? null : new String(output, StandardCharsets.UTF_8).strip();
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot run " + path + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while running " + path, e);
    }
  }
}
