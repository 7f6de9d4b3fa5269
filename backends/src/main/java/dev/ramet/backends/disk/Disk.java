// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.disk;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.linux.file.UnnamedFile;
import java.nio.file.Path;

/**
 * All changes that a file backend makes to the disk, each announced to {@link Steps} first.
 *
 * @param steps receives the announcements
 */
public record Disk(Steps steps) {
  /** Makes a directory. */
  public void makeDirectory(Path path, int mode) throws LinuxException {
    steps.before("make directory");
    PathCalls.makeDirectory(path, mode);
  }

  public Fd makeFile(Path path, int mode) throws LinuxException {
    steps.before("make file");
    return Fd.createNew(path, mode);
  }

  public Fd makeUnnamed(Path directory, int mode) throws LinuxException {
    steps.before("make unnamed file");
    return UnnamedFile.create(directory, mode);
  }

  public void link(Fd unnamed, Path name) throws LinuxException {
    steps.before("link");
    UnnamedFile.link(unnamed, name);
  }

  public void renameToNew(Path from, Path to) throws LinuxException {
    steps.before("rename");
    PathCalls.renameToNew(from, to);
  }

  public void unlink(Path path) throws LinuxException {
    steps.before("unlink");
    PathCalls.unlink(path);
  }

  public boolean removeDirectory(Path path) throws LinuxException {
    steps.before("remove directory");
    return PathCalls.removeDirectory(path);
  }

  public void truncate(Fd file, long sizeBytes) throws LinuxException {
    steps.before("truncate");
    file.truncate(sizeBytes);
  }

  public void chmod(Fd file, int mode) throws LinuxException {
    steps.before("change mode");
    file.chmod(mode);
  }

  public void sync(Fd file) throws LinuxException {
    steps.before("sync file");
    file.fsync();
  }

  public void syncDirectory(Path directory) throws LinuxException {
    steps.before("sync directory");
    Fd.syncDirectory(directory);
  }
}
