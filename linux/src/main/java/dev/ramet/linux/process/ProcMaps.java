// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import dev.ramet.linux.LinuxException;
import java.util.ArrayList;
import java.util.List;

/** The mappings of a process, from {@code /proc/<pid>/maps} (proc_pid_maps(5)). */
public final class ProcMaps {
  private ProcMaps() {}

  /**
   * One mapping.
   *
   * @param start its first address
   * @param end the address behind its last byte
   * @param permissions four characters such as {@code rw-p}; the last is {@code p} for private and
   *     {@code s} for shared
   * @param offset where it starts in the file
   * @param device the file's device as {@code major:minor} in hexadecimal
   * @param inode the file's inode, 0 for anonymous memory
   * @param path the file's path, a name in brackets such as {@code [heap]}, or empty; a deleted
   *     file's path ends with {@code " (deleted)"}
   */
  public record Mapping(
      long start,
      long end,
      String permissions,
      long offset,
      String device,
      long inode,
      String path) {
    /** Its length. */
    public long lengthBytes() {
      return end - start;
    }

    /** Returns whether writes go to the file or memory object itself. */
    public boolean isShared() {
      return permissions.charAt(3) == 's';
    }

    /** Returns whether it is private and has no file behind it. */
    public boolean isAnonymous() {
      return inode == 0 && !isShared();
    }
  }

  /**
   * Returns all mappings by ascending address.
   *
   * @throws LinuxException ENOENT or ESRCH when there is no such process
   */
  public static List<Mapping> read(long pid) throws LinuxException {
    List<Mapping> found = new ArrayList<>();
    for (String line : ProcFile.read("/proc/" + pid + "/maps").split("\n", -1)) {
      if (!line.isEmpty()) {
        found.add(parse(line));
      }
    }
    return found;
  }

  /** One line of maps, which is also the first line of each mapping in smaps. */
  static Mapping parse(String line) {
    // The path comes last and may hold spaces, so the number of fields is limited.
    String[] fields = line.split(" +", 6);
    int dash = fields[0].indexOf('-');
    return new Mapping(
        Long.parseUnsignedLong(fields[0].substring(0, dash), 16),
        Long.parseUnsignedLong(fields[0].substring(dash + 1), 16),
        fields[1],
        Long.parseUnsignedLong(fields[2], 16),
        fields[3],
        Long.parseUnsignedLong(fields[4]),
        // The kernel escapes line ends only (seq_file's mangling with "\n").
        fields.length < 6 ? "" : fields[5].replace("\\012", "\n"));
  }
}
