// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.root;

import dev.ramet.backends.FileBackend;
import dev.ramet.backends.copy.CopyStrategy;
import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Layout;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Finds or creates a root and locks it. */
public final class RootLocks {
  private RootLocks() {}

  /**
   * Locks a root for a backend that may open it; closing the handle lets the next one in.
   *
   * @throws RametException as {@link FileBackend#open(Path, String, int, CopyStrategy)}
   */
  public static Fd lock(Path root, Layout layout, String id, int format, Disk disk) {
    Fd lock = null;
    boolean done = false;
    try {
      if (!Files.exists(root)) {
        Files.createDirectories(root);
      }
      if (!Files.isDirectory(layout.volumes())) {
        refuseFile(layout.volumes());
        // For the owner alone: the images hold the guests' data.
        disk.makeDirectory(layout.volumes(), 0700);
      }
      lock = Fd.openDirectory(layout.volumes());
      requireFree(lock, layout);
      RootMarker.claim(layout, id, format, disk);
      done = true;
      return lock;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "open the storage root " + root, root);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot open the storage root " + root + ": " + e, e);
    } finally {
      if (!done && lock != null) {
        lock.close();
      }
    }
  }

  /**
   * Locks a root that is only to be examined. If its volumes directory is gone, which an inspection
   * reports, the root itself is locked: a backend would create the directory.
   *
   * @throws RametException as {@link dev.ramet.spi.storage.root.RootExamination#examine}
   */
  public static Fd lockForInspection(Path root, Layout layout, String id, int format) {
    Fd lock = null;
    boolean done = false;
    try {
      lock = Fd.openDirectory(Files.isDirectory(layout.volumes()) ? layout.volumes() : root);
      requireFree(lock, layout);
      RootMarker.check(layout, id, format);
      done = true;
      return lock;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "look at the storage root " + root, root);
    } finally {
      if (!done && lock != null) {
        lock.close();
      }
    }
  }

  private static void refuseFile(Path volumes) {
    if (Files.exists(volumes, LinkOption.NOFOLLOW_LINKS)) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "not a directory: " + volumes,
          "move it away, or use another data root",
          null);
    }
  }

  private static void requireFree(Fd lock, Layout layout) throws LinuxException {
    if (!lock.tryLock()) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "in use by another process: " + layout.volumes(),
          "stop that process, or use another root",
          null);
    }
  }
}
