// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.tck.storage.World;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Reads and writes image files for the reference model. */
final class ReferenceImages {
  private static final int PIECE = 1 << 20;

  private ReferenceImages() {}

  static long sizeOf(Path source) {
    try {
      if (!Files.exists(source)) {
        throw RametException.notFound("file", source.toString());
      }
      if (!Files.isRegularFile(source) || Files.size(source) == 0) {
        throw RametException.invalid("source", "not a regular file with content: " + source);
      }
      return Files.size(source);
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot read " + source, e);
    }
  }

  static void read(
      Path source, ReferenceDisk disk, ReferenceDisk.Image image, CopyProgress progress)
      throws ReferenceDisk.Refused, IOException {
    byte[] bytes = new byte[PIECE];
    byte[] zeros = new byte[PIECE];
    try (RandomAccessFile file = new RandomAccessFile(source.toFile(), "r")) {
      for (long at = 0; at < image.sizeBytes; at += PIECE) {
        int length = (int) Math.min(PIECE, image.sizeBytes - at);
        file.readFully(bytes, 0, length);
        if (!Arrays.equals(bytes, 0, length, zeros, 0, length)) {
          disk.write(image, at, Arrays.copyOf(bytes, length));
        }
        report(progress, at + length, image.sizeBytes);
      }
    }
  }

  static void write(
      ReferenceDisk disk, ReferenceDisk.Image image, Path target, CopyProgress progress) {
    if (Files.exists(target)) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, "the file already exists: " + target);
    }
    Path directory = target.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw RametException.notFound("directory", String.valueOf(directory));
    }
    boolean done = false;
    try (RandomAccessFile file = new RandomAccessFile(target.toFile(), "rw")) {
      file.setLength(image.sizeBytes);
      for (var page : image.pages.entrySet()) {
        long at = page.getKey() * World.PAGE;
        file.seek(at);
        file.write(page.getValue(), 0, (int) Math.min(World.PAGE, image.sizeBytes - at));
        report(progress, at, image.sizeBytes);
      }
      report(progress, image.sizeBytes, image.sizeBytes);
      done = true;
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot write " + target, e);
    } finally {
      if (!done) {
        target.toFile().delete();
      }
    }
  }

  private static void report(CopyProgress progress, long done, long total) {
    if (!progress.copied(done, total) || Thread.currentThread().isInterrupted()) {
      throw new RametException(ErrorCode.CANCELLED, "the copy was stopped");
    }
  }
}
