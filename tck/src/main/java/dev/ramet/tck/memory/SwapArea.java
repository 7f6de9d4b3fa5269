// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.PAGEOUT;
import static dev.ramet.tck.memory.TrackedProcess.SWAPPED;

import dev.ramet.tck.support.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A file that the kernel may swap to, until it is closed. Needs root. */
final class SwapArea implements AutoCloseable {
  private static final int ATTEMPTS = 50;
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

  /**
   * Makes the kernel swap pages out, at least one of them, because the check depends on it. The
   * kernel skips busy pages, among them those that another processor has yet to put on its page
   * lists, which an idle processor never does by itself: it is forced to, and the kernel is asked
   * again.
   */
  void takes(MemoryWorld world, int page, int count) {
    int swapped = offered(world, page, count);
    for (int attempt = 1; swapped == 0 && attempt < ATTEMPTS; attempt++) {
      Pause.shortly();
      Compaction.once();
      swapped = offered(world, page, count);
    }
    Requirement.ofKernel("swap", swapped > 0, "nothing was swapped out");
  }

  /** Asks the kernel to swap pages out and returns how many of them are swapped out. */
  int offered(MemoryWorld world, int page, int count) {
    Requirement.ofKernel("swap", world.advise(page, count, PAGEOUT) == 0, "no MADV_PAGEOUT");
    int swapped = 0;
    for (int i = page; i < page + count; i++) {
      if ((world.entry(i) & SWAPPED) != 0) {
        world.note(i, 1, "then swapped out");
        swapped++;
      }
    }
    return swapped;
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
      return false; // The program is missing.
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
