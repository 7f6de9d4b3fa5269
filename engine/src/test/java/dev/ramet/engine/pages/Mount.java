// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.testing.LoopFs;
import dev.ramet.testing.Require;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Mounts an in-memory file system with an unusual limitation. */
final class Mount implements AutoCloseable {
  private final Path path;

  private Mount(Path path, String type, String options) throws IOException {
    Require.root();
    this.path = Files.createDirectory(path);
    LoopFs.run(List.of("mount", "-t", type, "-o", options, "none", path.toString()));
  }

  /** Mounts a file system of one MiB. */
  static Mount ofOneMebibyte(Path path) throws IOException {
    return new Mount(path, "tmpfs", "size=1m");
  }

  /** Mounts a file system without holes: ramfs answers fallocate with EOPNOTSUPP. */
  static Mount withoutHoles(Path path) throws IOException {
    return new Mount(path, "ramfs", "rw");
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    LoopFs.run(List.of("umount", path.toString()));
  }
}
