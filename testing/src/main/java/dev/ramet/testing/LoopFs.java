// SPDX-License-Identifier: Apache-2.0
package dev.ramet.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A separate real file system for a test, unmounted and deleted by {@link #close}. */
public final class LoopFs implements AutoCloseable {
  private final Path image;
  private final Path mountPoint;

  private LoopFs(Path image, Path mountPoint) {
    this.image = image;
    this.mountPoint = mountPoint;
  }

  /** XFS with reflink. The smallest that mkfs.xfs makes has 300 MiB. */
  public static LoopFs xfs(Path directory, long sizeBytes) {
    return make(directory, sizeBytes, "xfs", List.of("mkfs.xfs", "-q", "-K", "-m", "reflink=1"));
  }

  /** XFS without reflink. */
  public static LoopFs xfsWithoutReflink(Path directory, long sizeBytes) {
    return make(directory, sizeBytes, "xfs", List.of("mkfs.xfs", "-q", "-K", "-m", "reflink=0"));
  }

  /** Btrfs. */
  public static LoopFs btrfs(Path directory, long sizeBytes) {
    return make(directory, sizeBytes, "btrfs", List.of("mkfs.btrfs", "-q"));
  }

  /** Returns a small ext4. */
  public static LoopFs ext4(Path directory, long sizeBytes) {
    return make(
        directory, sizeBytes, "ext4", List.of("mke2fs", "-q", "-F", "-m", "0", "-t", "ext4"));
  }

  /** Memory as a file system, with a limit. */
  public static LoopFs tmpfs(Path directory, long sizeBytes) {
    Require.root();
    Path mountPoint = directory.resolve("mnt");
    try {
      Files.createDirectories(mountPoint);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String options = "size=" + sizeBytes;
    run(List.of("mount", "-t", "tmpfs", "-o", options, "ramet-test", mountPoint.toString()));
    return new LoopFs(directory.resolve("none.img"), mountPoint);
  }

  private static LoopFs make(Path directory, long sizeBytes, String type, List<String> mkfs) {
    Require.root();
    Require.feature(type, onPath(mkfs.get(0)), mkfs.get(0) + " is not installed");
    Path image = imageDirectory(directory).resolve(type + ".img");
    Path mountPoint = directory.resolve("mnt");
    LoopFs fs = new LoopFs(image, mountPoint);
    boolean done = false;
    try {
      Files.createDirectories(mountPoint);
      try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
        file.setLength(sizeBytes);
      }
      List<String> command = new ArrayList<>(mkfs);
      command.add(image.toString());
      run(command);
      run(List.of("mount", "-o", "loop", image.toString(), mountPoint.toString()));
      done = true;
      return fs;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (!done) {
        fs.close();
      }
    }
  }

  /**
   * An image in memory needs no disk to wait for; the file system in it is the same. If the
   * directory is in a file system that a test has made, the image stays in that one.
   */
  private static Path imageDirectory(Path directory) {
    String memory = System.getenv("RAMET_TEST_IMAGES");
    Path usual = Path.of(System.getProperty("java.io.tmpdir"));
    try {
      Files.createDirectories(directory);
      boolean kept =
          memory == null || !Files.getFileStore(directory).equals(Files.getFileStore(usual));
      return kept ? directory : Files.createTempDirectory(Path.of(memory), "loop");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns its mount point. */
  public Path root() {
    return mountPoint;
  }

  /** Remounts it with other options, such as {@code ro}. */
  public void remount(String options) {
    run(List.of("mount", "-o", "remount," + options, mountPoint.toString()));
  }

  /**
   * Mounts it again as it is on its disk at this moment, without anything that was not synced.
   * Nothing may be open in it.
   */
  public void losePower() {
    mountCopy(copyDisk());
  }

  /** Copies the present content of its disk, whatever is open in it, if nobody writes meanwhile. */
  public Path copyDisk() {
    Path copy = image.resolveSibling(image.getFileName() + ".copy");
    run(List.of("cp", "--sparse=always", image.toString(), copy.toString()));
    return copy;
  }

  /**
   * Mounts it again as its disk was when it was copied. Nothing may be open in it.
   *
   * @param copy is consumed
   */
  public void mountCopy(Path copy) {
    run(List.of("umount", mountPoint.toString()));
    run(List.of("mv", "-f", copy.toString(), image.toString()));
    run(List.of("mount", "-o", "loop", image.toString(), mountPoint.toString()));
  }

  /** Fills the free space except for {@code keepBytes}. */
  public void fill(long keepBytes) throws IOException {
    byte[] block = new byte[64 << 10];
    new java.util.Random(7).nextBytes(block);
    try (RandomAccessFile file =
        new RandomAccessFile(mountPoint.resolve("ballast").toFile(), "rw")) {
      file.seek(file.length());
      while (mountPoint.toFile().getUsableSpace() > keepBytes) {
        file.write(block);
        if (file.getFilePointer() % (16 << 20) == 0) {
          file.getFD().sync();
        }
      }
      file.getFD().sync();
    } catch (IOException full) {
      // As full as it gets.
    }
  }

  /** Makes room again. */
  public void unfill() throws IOException {
    Files.deleteIfExists(mountPoint.resolve("ballast"));
  }

  @Override
  public void close() {
    // A lazy unmount as the second try: the test has failed already if something is still open.
    int plain = exec(List.of("umount", mountPoint.toString()), new StringBuilder());
    if (plain != 0) {
      exec(List.of("umount", "-l", mountPoint.toString()), new StringBuilder());
    }
    try {
      Files.deleteIfExists(image);
      Path directory = image.resolveSibling(".").normalize();
      if (!directory.equals(mountPoint.resolveSibling(".").normalize())) {
        Files.deleteIfExists(image.resolveSibling(image.getFileName() + ".copy"));
        Files.deleteIfExists(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a command that must succeed and returns its output. */
  public static String run(List<String> command) {
    StringBuilder output = new StringBuilder();
    int exit = exec(command, output);
    if (exit != 0) {
      throw new IllegalStateException(command + " ended with " + exit + ": " + output);
    }
    return output.toString();
  }

  private static int exec(List<String> command, StringBuilder output) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().merge("PATH", "/usr/sbin:/sbin", (path, sbin) -> path + ":" + sbin);
      Process process = builder.start();
      process.getOutputStream().close();
      output.append(
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
      return process.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static boolean onPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin";
    return Pattern.compile(":")
        .splitAsStream(path)
        .filter(directory -> !directory.isEmpty())
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
