// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import dev.ramet.linux.LinuxException;
import java.util.function.Predicate;

/**
 * The memory a process takes, summed from {@code /proc/<pid>/smaps} (proc_pid_smaps(5)). The kernel
 * walks every page for it: for measurements, not for use in a pause.
 *
 * @param rssBytes pages in memory
 * @param anonymousBytes pages in memory that belong to no file, which includes private copies
 * @param privateDirtyBytes written pages in memory that no other process shares
 * @param swapBytes pages in swap
 */
public record Smaps(long rssBytes, long anonymousBytes, long privateDirtyBytes, long swapBytes) {
  private static final long KIB = 1024;

  /**
   * Returns the sum of all mappings.
   *
   * @throws LinuxException ENOENT or ESRCH when there is no such process, EACCES when it may not be
   *     looked at
   */
  public static Smaps ofProcess(long pid) throws LinuxException {
    return read(pid, mapping -> true);
  }

  /** Returns the sum of the mappings of one file; see {@link ProcMaps.Mapping#path}. */
  public static Smaps ofPath(long pid, String path) throws LinuxException {
    return read(pid, mapping -> mapping.path().equals(path));
  }

  private static Smaps read(long pid, Predicate<ProcMaps.Mapping> wanted) throws LinuxException {
    return sum(ProcFile.read("/proc/" + pid + "/smaps"), wanted);
  }

  static Smaps sum(String smaps, Predicate<ProcMaps.Mapping> wanted) {
    long rss = 0;
    long anonymous = 0;
    long privateDirty = 0;
    long swap = 0;
    boolean counts = false;
    for (String line : smaps.split("\n", -1)) {
      int colon = line.indexOf(':');
      int space = line.indexOf(' ');
      if (line.isEmpty()) {
        continue;
      }
      if (colon < 0 || space < colon) {
        // A mapping's line starts with an address; its device has the first colon.
        counts = wanted.test(ProcMaps.parse(line));
      } else if (counts) {
        switch (line.substring(0, colon)) {
          case "Rss" -> rss += kib(line, colon);
          case "Anonymous" -> anonymous += kib(line, colon);
          case "Private_Dirty" -> privateDirty += kib(line, colon);
          case "Swap" -> swap += kib(line, colon);
          default -> {}
        }
      }
    }
    return new Smaps(rss, anonymous, privateDirty, swap);
  }

  private static long kib(String line, int colon) {
    return Long.parseLong(line.substring(colon + 1, line.length() - " kB".length()).trim()) * KIB;
  }
}
