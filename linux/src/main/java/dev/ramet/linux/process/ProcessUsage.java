// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import dev.ramet.linux.LinuxException;
import java.time.Duration;

/**
 * The resources that a process has used (proc_pid_stat(5), proc_pid_smaps_rollup(5),
 * proc_pid_io(5)). The kernel walks the process's page tables for it. Immutable and thread-safe.
 *
 * @param cpuTime processor time of all its threads since its start
 * @param privateBytes pages in memory that no other process maps
 * @param sharedBytes pages in memory that other processes map too
 * @param readBytes bytes read from storage; 0 where the kernel does not count them
 * @param writtenBytes bytes written to storage; 0 where the kernel does not count them
 */
public record ProcessUsage(
    Duration cpuTime, long privateBytes, long sharedBytes, long readBytes, long writtenBytes) {
  private static final int FIRST_FIELD = 3;
  private static final int USER_FIELD = 14;
  private static final int SYSTEM_FIELD = 15;

  /** The kernel reports times in these ticks on every architecture (USER_HZ). */
  private static final int TICKS_PER_SECOND = 100;

  private static final long KIB = 1024;

  /**
   * Reads it.
   *
   * @throws LinuxException ENOENT or ESRCH when there is no such process, EACCES when it may not be
   *     looked at
   */
  public static ProcessUsage read(long pid) throws LinuxException {
    String place = "/proc/" + pid;
    return parse(
        ProcFile.read(place + "/stat"),
        ProcFile.read(place + "/smaps_rollup"),
        ProcFile.read(place + "/io"));
  }

  static ProcessUsage parse(String stat, String smaps, String io) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).trim().split(" ", -1);
    long ticks =
        Long.parseLong(fields[USER_FIELD - FIRST_FIELD])
            + Long.parseLong(fields[SYSTEM_FIELD - FIRST_FIELD]);
    return new ProcessUsage(
        Duration.ofMillis(ticks * (1000 / TICKS_PER_SECOND)),
        KIB * (value(smaps, "Private_Clean") + value(smaps, "Private_Dirty")),
        KIB * (value(smaps, "Shared_Clean") + value(smaps, "Shared_Dirty")),
        value(io, "read_bytes"),
        value(io, "write_bytes"));
  }

  /** Returns the number in the line of a name; 0 if there is none. */
  private static long value(String text, String name) {
    for (String line : text.split("\n", -1)) {
      if (line.startsWith(name + ":")) {
        return Long.parseLong(line.substring(name.length() + 1).replace("kB", "").trim());
      }
    }
    return 0;
  }
}
