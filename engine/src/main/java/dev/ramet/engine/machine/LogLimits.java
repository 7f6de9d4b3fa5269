// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.files.FileTrees;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits the size of machines' logs, because a guest may print to its console for ever. The
 * beginning of a large log is punched into a hole: its writer need not know, and its end is never
 * lost. Thread-safe.
 */
public final class LogLimits {
  /** Size above which a log is cut. It can grow further until the next check. */
  static final long MAX_BYTES = 1 << 20;

  /** Size of the end of the log that is kept. */
  static final long KEPT_BYTES = 256 << 10;

  private static final System.Logger LOG = System.getLogger(LogLimits.class.getName());
  private static final long BLOCK_BYTES = 4096;

  private final SandboxStore sandboxes;
  private final Layout layout;
  private final AtomicBoolean underWay = new AtomicBoolean();

  public LogLimits(SandboxStore sandboxes, Layout layout) {
    this.sandboxes = sandboxes;
    this.layout = layout;
  }

  /** Checks the logs of all machines. */
  public void apply() {
    if (!underWay.compareAndSet(false, true)) {
      return;
    }
    try {
      for (LiveSandbox live : sandboxes.all()) {
        if (live.machine() != null) {
          int number = live.saved().machine().number();
          limitLog(layout.machine(live.id(), number));
        }
      }
    } finally {
      underWay.set(false);
    }
  }

  static void limitLog(Path machineDirectory) {
    try {
      for (Path file : FileTrees.children(machineDirectory)) {
        if (file.toString().endsWith(".log")
            && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
            && Files.size(file) > MAX_BYTES) {
          truncate(file);
        }
      }
    } catch (IOException | LinuxException e) {
      // The machine may have ended meanwhile; otherwise the next check tries again.
      LOG.log(System.Logger.Level.DEBUG, "cannot truncate the logs of " + machineDirectory, e);
    }
  }

  private static void truncate(Path file) throws LinuxException {
    try (Fd log = Fd.open(file, Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.NO_FOLLOW), 0)) {
      long size = log.sizeBytes();
      long start = log.seekData(0);
      if (start >= 0 && size - start > MAX_BYTES) {
        long end = (size - KEPT_BYTES) / BLOCK_BYTES * BLOCK_BYTES;
        log.punchHole(0, end);
      }
    }
  }
}
