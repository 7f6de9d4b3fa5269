// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;

/** A file system for disks and another for memory images; closing it removes both. */
final class TwoFileSystems implements AutoCloseable {
  private static final long SIZE = 2L << 30;

  private final Path directory;
  private final LoopFs first;
  private final LoopFs second;

  private TwoFileSystems(Path directory, LoopFs first, LoopFs second) {
    this.directory = directory;
    this.first = first;
    this.second = second;
  }

  static TwoFileSystems xfsAndBtrfs() throws IOException {
    return make(LoopFs::xfs, LoopFs::btrfs);
  }

  static TwoFileSystems ext4AndXfs() throws IOException {
    return make(LoopFs::ext4, LoopFs::xfs);
  }

  private static TwoFileSystems make(
      BiFunction<Path, Long, LoopFs> first, BiFunction<Path, Long, LoopFs> second)
      throws IOException {
    Path directory = Files.createTempDirectory("ramet-it-");
    LoopFs disks = first.apply(Files.createDirectory(directory.resolve("first")), SIZE);
    try {
      LoopFs memory = second.apply(Files.createDirectory(directory.resolve("second")), SIZE);
      return new TwoFileSystems(directory, disks, memory);
    } catch (RuntimeException | Error e) {
      disks.close();
      throw e;
    }
  }

  Path disks() {
    return first.root().resolve("data");
  }

  Path memory() {
    return second.root().resolve("images");
  }

  @Override
  public void close() throws IOException {
    first.close();
    second.close();
    for (String name : new String[] {"first", "second"}) {
      Files.deleteIfExists(directory.resolve(name).resolve("mnt"));
      Files.deleteIfExists(directory.resolve(name));
    }
    Files.deleteIfExists(directory);
  }
}
