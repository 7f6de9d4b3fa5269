// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.node;

import dev.ramet.backends.copy.CopyStrategy;
import dev.ramet.backends.copy.Qcow2;
import dev.ramet.backends.copy.SparseCopy;
import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Layout;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FileStat;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;

/**
 * Reads and writes image files outside a root, on whatever file system they are. Thread-safe, with
 * the errors of {@link dev.ramet.spi.storage.ImageTransfer}.
 */
public final class Images {
  private final CopyStrategy strategy;
  private final Disk disk;

  /** With a way to copy, which need not work between any two files. */
  public Images(CopyStrategy strategy, Disk disk) {
    this.strategy = strategy;
    this.disk = disk;
  }

  /** Uses the content of an image that is being read. */
  @FunctionalInterface
  public interface Reader {
    /** Creates a volume with the content. */
    Node make(NodeFiles.Filler filler);
  }

  /**
   * Reads an image file.
   *
   * @param reader receives the filler that writes the image's disk to a new file, once
   */
  public Node read(Path source, ImageFormat format, CopyProgress progress, Reader reader) {
    try (Fd from = open(source)) {
      return reader.make(filler(from, source, format, progress));
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "import " + source, source);
    }
  }

  /** Opens an image file and refuses anything that is not one. */
  private static Fd open(Path source) throws LinuxException {
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

  /** Returns the filler that writes the content of an image to a new volume. */
  private NodeFiles.Filler filler(Fd from, Path source, ImageFormat format, CopyProgress progress)
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
  public void copy(Fd from, Fd target, CopyProgress progress) throws LinuxException {
    try {
      strategy.copy(from, target, progress);
    } catch (LinuxException e) {
      if (!SparseCopy.isUnsupportedPair(e)) {
        throw e;
      }
      target.truncate(0);
      new SparseCopy().copy(from, target, progress);
    }
  }

  /** Writes a file that appears under its name when it is whole and durable. */
  public void write(Path target, NodeFiles.Filler content) {
    try {
      writeFile(target, content);
    } catch (LinuxException e) {
      Path parent = target.toAbsolutePath().getParent();
      throw HostErrors.translate(e, "export to " + target, parent != null ? parent : target);
    }
  }

  private void writeFile(Path target, NodeFiles.Filler content) throws LinuxException {
    Path absolute = target.toAbsolutePath().normalize();
    Path directory = absolute.getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw RametException.notFound("directory", String.valueOf(directory));
    }
    if (Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, "the file already exists: " + target);
    }
    Path unfinished = directory.resolve(".ramet-export-" + UUID.randomUUID());
    boolean done = false;
    try {
      try (Fd to = disk.makeFile(unfinished, 0600)) {
        content.fill(to, unfinished);
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
  public static void refuseInside(Layout layout, Path target) {
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
