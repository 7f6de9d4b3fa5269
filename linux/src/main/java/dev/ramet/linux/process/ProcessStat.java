// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import dev.ramet.linux.LinuxException;

/**
 * A process as {@code /proc/<pid>/stat} shows it (proc_pid_stat(5)).
 *
 * @param pid its id
 * @param command the name of its program file, at most 15 bytes
 * @param state one letter: {@code R} running, {@code S} sleeping, {@code T} stopped, {@code Z}
 *     ended and not yet waited for
 * @param startTicks when it started, in clock ticks since the host's boot; together with the pid it
 *     names a process for good, since a pid is used again
 */
public record ProcessStat(long pid, String command, char state, long startTicks) {
  /** Fields are counted from 1 in the manual; the first behind the name is the third. */
  private static final int FIRST_FIELD = 3;

  private static final int START_FIELD = 22;

  /**
   * Reads it.
   *
   * @throws LinuxException ENOENT or ESRCH when there is no such process
   */
  public static ProcessStat read(long pid) throws LinuxException {
    return parse(ProcFile.read("/proc/" + pid + "/stat"));
  }

  /**
   * The name stands in parentheses and may hold any of {@code " ()"}: only the last one ends it.
   */
  static ProcessStat parse(String stat) {
    int open = stat.indexOf('(');
    int close = stat.lastIndexOf(')');
    String[] fields = stat.substring(close + 2).trim().split(" ", -1);
    return new ProcessStat(
        Long.parseLong(stat.substring(0, open).trim()),
        stat.substring(open + 1, close),
        fields[0].charAt(0),
        Long.parseLong(fields[START_FIELD - FIRST_FIELD]));
  }
}
