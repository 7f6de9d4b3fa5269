// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.BYTES;
import static dev.ramet.tck.memory.MemoryWorld.HOLE;
import static dev.ramet.tck.memory.MemoryWorld.HOLE_PAGES;
import static dev.ramet.tck.memory.TrackedProcess.PAGE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;

/** The image that a world's memory is mapped from: random bytes, and a hole. */
final class WorldImage {
  private WorldImage() {}

  /** Returns the content of an image, which is always the same. */
  static byte[] content() {
    byte[] image = new byte[(int) BYTES];
    new Random(1).nextBytes(image);
    Arrays.fill(image, HOLE * PAGE, (HOLE + HOLE_PAGES) * PAGE, (byte) 0);
    return image;
  }

  /** Writes an image to a new file, with its hole, and returns the file. */
  static Path write(byte[] image, Path file) {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      int behind = (HOLE + HOLE_PAGES) * PAGE;
      Channels.newOutputStream(channel).write(image, 0, HOLE * PAGE);
      Channels.newOutputStream(channel.position(behind)).write(image, behind, (int) BYTES - behind);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
