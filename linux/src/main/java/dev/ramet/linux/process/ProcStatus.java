// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import dev.ramet.linux.LinuxException;

/** Single facts from {@code /proc/<pid>/status} (proc_pid_status(5)). */
public final class ProcStatus {
  private ProcStatus() {}

  /**
   * The number behind a name.
   *
   * @param path the status file of a process or thread
   * @param ifAbsent what a kernel without that line means
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
