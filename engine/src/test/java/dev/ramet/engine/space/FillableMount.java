// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.space;

import dev.ramet.testing.LoopFs;
import dev.ramet.testing.Require;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file system in memory that a test fills. */
public final class FillableMount implements AutoCloseable {
  /** A reserve at which machines are stopped below 8 MiB, and go on at 12 MiB. */
  public static final StorageReserve RESERVE = new StorageReserve(16L << 20);

  private static final int MIB = 1 << 20;
  private static final int SIZE_MIB = 64;

  private final Path path;
  private final WatchedFileSystem place;

  /** Mounts it. */
  public FillableMount(Path path) throws IOException {
    Require.root();
    this.path = Files.createDirectory(path);
    LoopFs.run(
        List.of("mount", "-t", "tmpfs", "-o", "size=" + SIZE_MIB + "m", "none", path.toString()));
    this.place = new WatchedFileSystem(Files.createDirectory(path.resolve("data")), false, false);
  }

  public Path path() {
    return path;
  }

  /** Returns the place by which it is watched, a directory of it. */
  public WatchedFileSystem place() {
    return place;
  }

  /** Leaves this much free. */
  public void leave(int mebibytes) throws IOException {
    Path filler = path.resolve("filler");
    Files.deleteIfExists(filler);
    byte[] zeros = new byte[MIB];
    try (RandomAccessFile file = new RandomAccessFile(filler.toFile(), "rw")) {
      for (int i = 0; i < SIZE_MIB - mebibytes; i++) {
        file.write(zeros);
      }
    }
  }

  @Override
  public void close() {
    LoopFs.run(List.of("umount", path.toString()));
  }
}
