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
   * Has the kernel swap pages out, one of them at least: the check depends on it. The kernel leaves
   * pages that are busy, for one those that another processor has yet to put on its lists of pages,
   * which an idle one never does by itself: it is made to, and asked again.
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

  /** Asks the kernel to swap pages out; answers how many of them are. */
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
