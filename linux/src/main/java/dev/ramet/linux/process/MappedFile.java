// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FileStat;
import dev.ramet.linux.file.OpenFlag;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;

/** Opens the file behind a mapping of a process. */
public final class MappedFile {
  private MappedFile() {}

  /**
   * Opens the file for reading: exactly that file, even if it has been deleted or replaced, through
   * {@code proc/<pid>/map_files} (proc_pid_map_files(5)). Without permission to look there, it
   * opens the file at the mapping's path, if that is still the same file.
   *
   * @param mapping a mapping of a file, as returned by {@link ProcMaps}
   * @throws LinuxException ENOENT if the mapping or its process is gone, ESTALE if the path leads
   *     to another file now, EPERM and EACCES if this process may read neither
   */
  public static Fd open(long pid, ProcMaps.Mapping mapping) throws LinuxException {
    String name = Long.toHexString(mapping.start()) + "-" + Long.toHexString(mapping.end());
    try {
      return Fd.open(Path.of("/proc/" + pid + "/map_files", name), Set.of(OpenFlag.READ), 0);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EPERM && e.errno() != LinuxException.EACCES) {
        throw e;
      }
    }
    return byPath(mapping);
  }

  /** Returns the file that has a mapping's path, if it is the mapped one by device and inode. */
  static Fd byPath(ProcMaps.Mapping mapping) throws LinuxException {
    Fd file = Fd.openRead(path(mapping));
    boolean same = false;
    try {
      FileStat stat = file.stat();
      // For each of its subvolumes, Btrfs reports another device here than in maps.
      same = stat.inode() == mapping.inode() && stat.device() == device(mapping);
      if (!same) {
        throw file.failure("open", Errnos.ESTALE);
      }
      return file;
    } finally {
      if (!same) {
        file.close();
      }
    }
  }

  private static Path path(ProcMaps.Mapping mapping) throws LinuxException {
    try {
      return Path.of(mapping.path());
    } catch (InvalidPathException e) {
      // A name that this JVM cannot spell.
      throw new LinuxException("open", LinuxException.ENOENT, mapping.path());
    }
  }

  private static long device(ProcMaps.Mapping mapping) {
    int colon = mapping.device().indexOf(':');
    return Long.parseLong(mapping.device().substring(0, colon), 16) << 32
        | Long.parseLong(mapping.device().substring(colon + 1), 16);
  }
}
