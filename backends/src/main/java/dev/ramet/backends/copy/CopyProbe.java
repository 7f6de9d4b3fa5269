// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.copy;

import dev.ramet.backends.disk.HostErrors;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.FullFileSystem;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.spi.ProbeResult;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a {@link CopyStrategy} works in a directory: copies a small file there, checks
 * that neither copy sees what is written to the other, and that a copy can be given a name. Leaves
 * the directory as it was except for its modification time.
 */
public final class CopyProbe {
  private static final int SIZE = 256 << 10;
  private static final int HOLE_FROM = 64 << 10;
  private static final int HOLE_TO = 192 << 10;
  private static final int PAGE = 4096;

  private static final String RENAME = "renameat2";

  private CopyProbe() {}

  /**
   * Runs the probe.
   *
   * @return the observations by name
   * @throws LinuxException if a step failed
   * @throws IllegalStateException if all steps succeeded but a copy is wrong
   */
  public static Map<String, String> run(Path directory, CopyStrategy strategy)
      throws LinuxException {
    String name = ".ramet-probe-" + UUID.randomUUID();
    Path first = directory.resolve(name + "-a");
    Path second = directory.resolve(name + "-b");
    Path third = directory.resolve(name + "-c");
    Map<String, String> evidence = new LinkedHashMap<>();
    FsInfo info = FsInfo.of(directory);
    evidence.put("file-system", info.typeName());
    evidence.put("free-bytes", Long.toString(info.freeBytes()));
    try (Fd source = Fd.createNew(first, 0600)) {
      write(source, 0, 'o', HOLE_FROM);
      write(source, HOLE_TO, 'o', SIZE - HOLE_TO);
      try (Fd copy = Fd.createNew(second, 0600)) {
        long start = System.nanoTime();
        strategy.copy(source, copy);
        evidence.put("copy-micros", Long.toString((System.nanoTime() - start) / 1000));
        require("length", copy.stat().sizeBytes() == SIZE);
        require("content", containsByte(copy, 0, 'o') && containsByte(copy, SIZE - PAGE, 'o'));
        require("hole", containsByte(copy, HOLE_FROM, 0) && containsByte(copy, HOLE_TO - PAGE, 0));
        write(source, 0, 's', PAGE);
        require(
            "isolation of the copy", containsByte(copy, 0, 'o') && containsByte(source, 0, 's'));
        write(copy, SIZE - PAGE, 'c', PAGE);
        require(
            "isolation of the original",
            containsByte(source, SIZE - PAGE, 'o') && containsByte(copy, SIZE - PAGE, 'c'));
      }
      PathCalls.renameToNew(second, third);
    } finally {
      PathCalls.unlink(first);
      PathCalls.unlink(second);
      PathCalls.unlink(third);
    }
    return evidence;
  }

  /**
   * Explains a failure that any strategy can meet by the state of the host; returns null if the
   * host is not the cause, so that the probe itself has failed.
   */
  public static ProbeResult.@Nullable Unusable explain(LinuxException e, Path directory) {
    String tried = "tried to copy in ";
    String detail = tried + HostErrors.describe(directory) + ": " + e.getMessage();
    if (e.errno() == LinuxException.EINVAL && RENAME.equals(e.call())) {
      // renameat2(2): RENAME_NOREPLACE is up to the file system; network ones tend to lack it.
      return new ProbeResult.Unusable(
          "no atomic rename without replacing",
          detail,
          "put " + directory + " on a local file system");
    }
    FullFileSystem around = HostErrors.findFullFileSystem(e, directory);
    if (around != null) {
      return full(tried, around, e);
    }
    return switch (e.errno()) {
      case LinuxException.EACCES, LinuxException.EPERM ->
          new ProbeResult.Unusable(
              "no permission", detail, "run as the owner of " + directory + " or as root");
      case LinuxException.EROFS ->
          new ProbeResult.Unusable(
              "read-only", detail, "mount the file system of " + directory + " for writing");
      case LinuxException.ENOSPC -> full(tried, FullFileSystem.findAt(directory), e);
      case LinuxException.EDQUOT ->
          new ProbeResult.Unusable(
              "quota used up", detail, "free space in " + directory + " or raise the quota", true);
      case LinuxException.ENOENT ->
          new ProbeResult.Unusable("no such directory", detail, "make " + directory);
      default -> null;
    };
  }

  private static ProbeResult.Unusable full(String tried, FullFileSystem full, LinuxException e) {
    Path image = full.image();
    return new ProbeResult.Unusable(
        "no space left",
        tried + full.describe() + ": " + e.getMessage(),
        "free space on the file system of " + (image == null ? full.where() : image),
        true);
  }

  private static void write(Fd fd, long offset, int value, int length) throws LinuxException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(length);
    while (buffer.hasRemaining()) {
      buffer.put((byte) value);
    }
    fd.pwrite(buffer.flip(), offset);
  }

  private static boolean containsByte(Fd fd, long offset, int value) throws LinuxException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);
    if (fd.pread(buffer, offset) != PAGE) {
      return false;
    }
    buffer.flip();
    while (buffer.hasRemaining()) {
      if (buffer.get() != (byte) value) {
        return false;
      }
    }
    return true;
  }

  private static void require(String what, boolean holds) {
    if (!holds) {
      throw new IllegalStateException("the copy is wrong: " + what);
    }
  }
}
