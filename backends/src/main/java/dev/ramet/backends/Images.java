// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.linux.Fd;
import dev.ramet.linux.FileStat;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.OpenFlag;
import dev.ramet.spi.storage.CopyProgress;
import dev.ramet.spi.storage.ImageFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;

/** Reads and writes image files outside a root, on whatever file system they are. */
final class Images {
  private final CopyStrategy strategy;
  private final Disk disk;

  Images(CopyStrategy strategy, Disk disk) {
    this.strategy = strategy;
    this.disk = disk;
  }

  /** Opens an image file and refuses what is none. */
  static Fd open(Path source) throws LinuxException {
    Fd from = Fd.open(source, Set.of(OpenFlag.READ), 0);
    boolean done = false;
    try {
      FileStat stat = from.stat();
      if (!stat.isRegularFile() || stat.sizeBytes() == 0) {
        throw RametException.invalid("source", "not a regular file with content: " + source);
      }
      done = true;
      return from;
    } finally {
      if (!done) {
        from.close();
      }
    }
  }

  /** What gives a new volume the content of an image. */
  NodeFiles.Filler filler(Fd from, Path source, ImageFormat format, CopyProgress progress)
      throws LinuxException {
    return switch (format) {
      case RAW -> (target, path) -> copy(from, target, progress);
      case QCOW2 -> {
        long size = Qcow2.sizeOf(from);
        Path program = Qcow2.program();
        yield (target, path) -> {
          target.truncate(size);
          Qcow2.convert(program, source, target, path, progress);
        };
      }
    };
  }

  /** Copies in the backend's way, or in one that works between any two files. */
  private void copy(Fd from, Fd target, CopyProgress progress) throws LinuxException {
    try {
      strategy.copy(from, target, progress);
    } catch (LinuxException e) {
      if (!SparseCopy.notBetweenThese(e)) {
        throw e;
      }
      target.truncate(0);
      new SparseCopy().copy(from, target, progress);
    }
  }

  /** Writes a file that appears under its name when it is whole and durable. */
  void write(Fd from, Path target, CopyProgress progress) throws LinuxException {
    Path absolute = target.toAbsolutePath().normalize();
    Path directory = absolute.getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw RametException.notFound("directory", String.valueOf(directory));
    }
    if (Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, "the file is there already: " + target);
    }
    Path unfinished = directory.resolve(".ramet-export-" + UUID.randomUUID());
    boolean done = false;
    try {
      try (Fd to = disk.makeFile(unfinished, 0600)) {
        copy(from, to, progress);
        disk.sync(to);
      }
      disk.renameToNew(unfinished, absolute);
      done = true;
      disk.syncDirectory(directory);
    } finally {
      if (!done) {
        disk.unlink(unfinished);
      }
    }
  }

  /** Refuses a target inside the root: the next open would find a file it did not make. */
  static void refuseInside(Layout layout, Path target) {
    Path parent = target.toAbsolutePath().normalize().getParent();
    try {
      if (parent != null
          && Files.isDirectory(parent)
          && parent.toRealPath().startsWith(layout.volumes().toRealPath())) {
        throw RametException.invalid("target", "lies among the backend's own files: " + target);
      }
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot reach " + target + ": " + e, e);
    }
  }
}
