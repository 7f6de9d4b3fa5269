// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The final name of an export, which the export takes when everything in it is durable.
 *
 * @param path the name, with symbolic links in its parent resolved
 */
public record ExportName(Path path) {
  /**
   * Refuses a name that exists, even as a dangling link.
   *
   * @throws RametException {@code ALREADY_EXISTS}
   */
  void refuseTaken() {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      throw nameTaken();
    }
  }

  private RametException nameTaken() {
    return new RametException(
        ErrorCode.ALREADY_EXISTS,
        path + " already exists",
        "choose a name that is not taken; the export creates the directory itself",
        null);
  }

  /** Gives a directory this name, if it is still free. */
  void assign(Path directory) {
    try {
      rename(directory);
    } catch (LinuxException e) {
      throw e.errno() == LinuxException.EEXIST ? nameTaken() : failed(e);
    }
  }

  private void rename(Path directory) throws LinuxException {
    try {
      PathCalls.renameToNew(directory, path);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EINVAL) {
        throw e;
      }
      // Network file systems may not support a rename that refuses to replace. A plain rename of a
      // directory can only replace an empty directory, made since the check: rename(2).
      refuseTaken();
      try {
        Files.move(directory, path, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException moved) {
        throw new RametException(
            ErrorCode.HOST_UNFIT, "cannot name the export " + path + ": " + moved, moved);
      }
    }
  }

  /** Makes the name durable. */
  void sync() {
    try {
      Fd.syncDirectory(parent());
    } catch (LinuxException e) {
      throw failed(e);
    }
  }

  /** Returns the directory that holds the export. */
  Path parent() {
    Path parent = path.getParent();
    return parent == null ? path : parent;
  }

  /** Translates a failed call of the kernel during the export. */
  RametException failed(LinuxException e) {
    return HostErrors.translate(e, "cannot export to " + path, parent());
  }
}
