// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.disk.Steps;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.BtrfsSubvolumes;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/**
 * Finds out whether subvolumes can be captured in a directory by doing it. Leaves no trace; if it
 * is killed, its remains can be deleted like any directory. No file can be deleted in a read-only
 * subvolume, but an empty one can be removed like an empty directory (since Linux 4.18): so the
 * content of a capture is checked in a writable capture, and the read-only flag in an empty one.
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
   * Runs the probe.
   *
   * @param evidence receives the observations
   * @param steps receives each change
   * @throws LinuxException if a step failed
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
      long micros = measureCapture(false, () -> requireIsolation(file));
      measureCapture(true, this::requireReadOnly);
      evidence.put("subvolume-micros", Long.toString(micros));
    } finally {
      destroy(tree);
    }
  }

  /** Inspects a capture. */
  private interface Check {
    void run() throws LinuxException;
  }

  private long measureCapture(boolean readOnly, Check look) throws LinuxException {
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

  /** A file removed from the original afterwards must still be in the capture. */
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
