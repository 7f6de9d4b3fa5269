// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static dev.ramet.engine.pages.Machine.PAGE;
import static dev.ramet.engine.pages.Machine.PID;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.Attachment;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A page writer and a directory for the files it reads and writes. Closing it fails unless all
 * staging memory was returned.
 */
final class CaptureGround implements AutoCloseable {
  static final int PAGES = 2048;
  static final long MIB = 1 << 20;
  static final long POOL_BYTES = 16 * MIB;

  private final Path directory;
  private final StagingPool pool = new StagingPool(POOL_BYTES);
  private final PageWriter writer = new PageWriter(pool, POOL_BYTES / 2);

  CaptureGround(Path directory) {
    this.directory = directory;
  }

  StagingPool pool() {
    return pool;
  }

  PageWriter writer() {
    return writer;
  }

  /** Returns the path of a test file, which need not exist. */
  Path path(String name) {
    return directory.resolve(name);
  }

  /** Copies a base to a new image. */
  Path copy(Path base, String name) throws IOException {
    return Files.copy(base, path(name));
  }

  /** Creates an image in which each page differs from its neighbors; every fifth is zeros. */
  Path base(int pages) throws IOException {
    return base(directory, pages);
  }

  static Path base(Path directory, int pages) throws IOException {
    byte[] bytes = new byte[pages * PAGE];
    for (int page = 0; page < pages; page++) {
      Arrays.fill(bytes, page * PAGE, (page + 1) * PAGE, (byte) (page % 5));
    }
    return Files.write(directory.resolve("base"), bytes);
  }

  /** Creates an image that is one hole. */
  Path empty(long bytes) throws IOException {
    return empty(directory, bytes);
  }

  static Path empty(Path directory, long bytes) throws IOException {
    Path image = Files.createTempFile(directory, "image", "");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
    }
    return image;
  }

  static Attachment file(Path path) {
    return new Attachment.LocalFile(path, false);
  }

  PageCapture open(Path image, Baseline baseline) {
    return writer.open(file(image), baseline);
  }

  PageCapture open(Path image, Baseline baseline, Path base) {
    return writer.open(file(image), baseline, base);
  }

  /** Captures pages of this process into an image. */
  PagesWritten capture(Path image, Baseline baseline, PageRanges ranges) {
    try (PageCapture capture = open(image, baseline)) {
      capture.readWhilePaused(PID, ranges);
      return capture.finish();
    }
  }

  @Override
  public void close() {
    assertEquals(0, pool.usedBytes());
    assertTrue(pool.allocatedBytes() <= POOL_BYTES);
    pool.close();
    assertEquals(0, pool.allocatedBytes());
  }
}
