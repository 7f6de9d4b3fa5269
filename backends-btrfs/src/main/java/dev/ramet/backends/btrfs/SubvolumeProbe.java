// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.linux.BtrfsSubvolumes;
import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.PathCalls;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/** Finds out whether subvolumes can be captured in a directory by doing it. Leaves no trace. */
final class SubvolumeProbe {
  private SubvolumeProbe() {}

  /**
   * Does it.
   *
   * @param evidence takes what was seen
   * @throws LinuxException when a step failed
   */
  static void run(Path directory, Map<String, String> evidence) throws LinuxException {
    String name = ".ramet-probe-" + UUID.randomUUID();
    Path tree = directory.resolve(name + "-tree");
    Path copy = directory.resolve(name + "-copy");
    BtrfsSubvolumes.create(tree);
    try {
      Fd.createNew(tree.resolve("file"), 0600).close();
      long start = System.nanoTime();
      BtrfsSubvolumes.snapshot(tree, copy, true);
      try {
        evidence.put("subvolume-micros", Long.toString((System.nanoTime() - start) / 1000));
        PathCalls.unlink(tree.resolve("file"));
        if (!BtrfsSubvolumes.isReadOnly(copy)
            || !PathCalls.stat(copy.resolve("file")).isRegularFile()) {
          throw new IllegalStateException("the captured subvolume is wrong");
        }
      } finally {
        BtrfsSubvolumes.destroy(copy);
      }
    } finally {
      BtrfsSubvolumes.destroy(tree);
    }
  }
}
