// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A file that the kernel may swap to, until it is closed. Needs root. */
final class SwapArea implements AutoCloseable {
  private static final int BYTES = 16 << 20;

  private final Path file;

  private SwapArea(Path file) {
    this.file = file;
  }

  static SwapArea on(Path directory) {
    Path file = directory.resolve("swap");
    try {
      Files.write(file, new byte[BYTES]);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    boolean on = run("mkswap", file) && run("swapon", file);
    Requirement.ofKernel("swap", on, "needs root, and a kernel and file system that swap to files");
    return new SwapArea(file);
  }

  private static boolean run(String program, Path file) {
    try {
      return new ProcessBuilder(program, file.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false; // There is no such program.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    if (!run("swapoff", file)) {
      throw new IllegalStateException("swapoff " + file + " failed");
    }
  }
}
