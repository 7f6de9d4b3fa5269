// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.Steps;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.BtrfsSubvolumes;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/**
 * Finds out whether subvolumes can be captured in a directory by doing it. Leaves no trace; and
 * where it is killed, only what can be deleted as any directory can. In a read-only subvolume no
 * file can, but an empty one goes like an empty directory (since Linux 4.18): so what a capture has
 * in it is seen in one that can be written, and that one can be made read-only in an empty one.
 */
final class SubvolumeProbe {
  private final Steps steps;
  private final Path tree;
  private final Path copy;

  private SubvolumeProbe(Path directory, Steps steps) {
    String name = ".ramet-probe-" + UUID.randomUUID();
    this.steps = steps;
    this.tree = directory.resolve(name + "-tree");
    this.copy = directory.resolve(name + "-copy");
  }

  /**
   * Does it.
   *
   * @param evidence takes what was seen
   * @param steps sees each change
   * @throws LinuxException when a step failed
   */
  static void run(Path directory, Map<String, String> evidence, Steps steps) throws LinuxException {
    new SubvolumeProbe(directory, steps).run(evidence);
  }

  private void run(Map<String, String> evidence) throws LinuxException {
    steps.before("make subvolume");
    BtrfsSubvolumes.create(tree);
    try {
      Path file = tree.resolve("file");
      steps.before("make file");
      Fd.createNew(file, 0600).close();
      long micros = captured(false, () -> requireIsolation(file));
      captured(true, this::requireReadOnly);
      evidence.put("subvolume-micros", Long.toString(micros));
    } finally {
      destroy(tree);
    }
  }

  /** Looks at a capture. */
  private interface Look {
    void run() throws LinuxException;
  }

  private long captured(boolean readOnly, Look look) throws LinuxException {
    steps.before("capture");
    long start = System.nanoTime();
    BtrfsSubvolumes.snapshot(tree, copy, readOnly);
    long nanos = System.nanoTime() - start;
    try {
      look.run();
    } finally {
      destroy(copy);
    }
    return nanos / 1000;
  }

  /** What is taken away afterwards is still in the capture. */
  private void requireIsolation(Path file) throws LinuxException {
    steps.before("unlink");
    PathCalls.unlink(file);
    require(PathCalls.stat(copy.resolve(file.getFileName())).isRegularFile());
  }

  private void requireReadOnly() throws LinuxException {
    require(BtrfsSubvolumes.isReadOnly(copy));
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new IllegalStateException("the captured subvolume is wrong");
    }
  }

  private void destroy(Path subvolume) throws LinuxException {
    steps.before("destroy");
    BtrfsSubvolumes.destroy(subvolume);
  }
}
