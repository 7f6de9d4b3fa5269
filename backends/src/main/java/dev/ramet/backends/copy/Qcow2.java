// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.copy;

import dev.ramet.backends.disk.HostErrors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.spi.HostPrograms;
import dev.ramet.spi.storage.image.CopyProgress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reads images of QEMU's format with QEMU's program. The header of the image is checked first: an
 * image may name other files as its backing or data file, and the program would read them with our
 * permissions.
 */
public final class Qcow2 {
  // QCowHeader, docs/interop/qcow2.txt of QEMU: big-endian.
  private static final int MAGIC = 0x514649FB;
  private static final int VERSION = 4;
  private static final int BACKING_FILE = 8;
  private static final int SIZE = 24;
  private static final int CRYPT_METHOD = 32;
  private static final int INCOMPATIBLE = 72;
  private static final int HEADER_BYTES = 104;
  private static final int HEADER_2_BYTES = 72;
  private static final long EXTERNAL_DATA_FILE = 4;

  private static final String PROGRAM = "qemu-img";
  private static final int POLL_MILLIS = 100;
  private static final long ALMOST_FULL_BYTES = 4 << 20;

  private Qcow2() {}

  /** Returns the size of the disk in an image; refuses an image that refers to other files. */
  public static long sizeOf(Fd image) throws LinuxException {
    ByteBuffer head = ByteBuffer.allocateDirect(HEADER_BYTES);
    int read = image.pread(head, 0);
    if (read < HEADER_2_BYTES || head.getInt(0) != MAGIC) {
      throw RametException.invalid("source", "not a qcow2 image: " + image);
    }
    int version = head.getInt(VERSION);
    if (version != 2 && (version != 3 || read < HEADER_BYTES)) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, "qcow2 version " + version + " is not supported: " + image);
    }
    boolean external = version == 3 && (head.getLong(INCOMPATIBLE) & EXTERNAL_DATA_FILE) != 0;
    if (head.getLong(BACKING_FILE) != 0 || external) {
      throw unsupported(
          image, "refers to another file", "convert it with qemu-img to a single file");
    }
    if (head.getInt(CRYPT_METHOD) != 0) {
      throw unsupported(image, "is encrypted", "convert it with qemu-img to an unencrypted image");
    }
    long size = head.getLong(SIZE);
    if (size <= 0) {
      throw RametException.invalid("source", "the image has no content: " + image);
    }
    return size;
  }

  private static RametException unsupported(Fd image, String why, String remedy) {
    return new RametException(
        ErrorCode.UNSUPPORTED, "the image " + why + ": " + image, remedy, null);
  }

  /** Finds the program, before anything is made. */
  public static Path program() {
    return HostPrograms.find(PROGRAM)
        .orElseThrow(
            () ->
                new RametException(
                    ErrorCode.HOST_UNFIT,
                    "the program qemu-img, which reads qcow2 images, is not installed",
                    "install it (Debian: apt-get install qemu-utils), or import a raw image",
                    null));
  }

  /**
   * Writes the disk in an image to an existing file, sparsely.
   *
   * @param target the open file
   * @param path its name
   */
  public static void convert(Path program, Path source, Fd target, Path path, CopyProgress progress)
      throws LinuxException {
    try {
      Path log = Files.createTempFile("ramet-qemu-img", ".log");
      try {
        convert(program, source, target, path, progress, log);
      } finally {
        Files.deleteIfExists(log);
      }
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot run " + program + ": " + e, e);
    }
  }

  private static void convert(
      Path program, Path source, Fd target, Path path, CopyProgress progress, Path log)
      throws IOException, LinuxException {
    // Absolute names: one like "nbd:..." would mean something else to the program.
    List<String> command =
        List.of(
            program.toString(),
            "convert",
            "-f",
            "qcow2",
            "-O",
            "raw",
            source.toAbsolutePath().toString(),
            path.toAbsolutePath().toString());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(log.toFile()).environment().put("LC_ALL", "C");
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        long size = target.sizeBytes();
        CopyReporter.report(progress, Math.min(target.stat().allocatedBytes(), size), size);
      }
      if (process.exitValue() != 0) {
        throw failed(source, path, Files.readString(log, StandardCharsets.UTF_8).strip());
      }
      long size = target.sizeBytes();
      CopyReporter.report(progress, size, size);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while importing " + source, e);
    } finally {
      process.destroyForcibly();
      process.onExit().join();
    }
  }

  /** The program gives its reason only as text, so the cause is looked for on the host. */
  private static RametException failed(Path source, Path target, String output)
      throws LinuxException {
    if (FsInfo.of(target).freeBytes() < ALMOST_FULL_BYTES) {
      return new RametException(
          ErrorCode.NO_SPACE,
          "cannot import " + source + ": no space left on " + HostErrors.describe(target),
          "delete snapshots or sandboxes, or enlarge the file system",
          null);
    }
    return RametException.invalid("source", "qemu-img cannot read " + source + ": " + output);
  }
}
