// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import dev.ramet.linux.LinuxException;

/** Reads single values from {@code /proc/<pid>/status} (proc_pid_status(5)). */
public final class ProcStatus {
  private ProcStatus() {}

  /**
   * Returns the number with the given name.
   *
   * @param path the status file of a process or thread
   * @param ifAbsent the value on a kernel without that line
   */
  public static long number(String path, String name, long ifAbsent) throws LinuxException {
    for (String line : ProcFile.read(path).split("\n", -1)) {
      if (line.startsWith(name + ":")) {
        return Long.parseLong(line.substring(name.length() + 1).trim().split("\\s", 2)[0]);
      }
    }
    return ifAbsent;
  }
}
