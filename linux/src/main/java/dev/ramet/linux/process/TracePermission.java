// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Explains who may trace another process and read and write its memory: its own user, unless Yama
 * says otherwise (ptrace(2), Documentation/admin-guide/LSM/Yama.rst). Thread-safe.
 */
public final class TracePermission {
  private static final Path SCOPE = Path.of("/proc/sys/kernel/yama/ptrace_scope");

  /** Yama's value that cannot be lowered before the next boot. */
  private static final int NOBODY = 3;

  private TracePermission() {}

  /**
   * Returns what an operator can do about EPERM from ptrace(2), process_vm_readv(2) or
   * process_vm_writev(2), given the host's present settings.
   */
  public static String remedy() {
    return remedy(scope());
  }

  /** {@code kernel.yama.ptrace_scope}, or 0 where the kernel has no Yama. */
  private static int scope() {
    try {
      return Integer.parseInt(Files.readString(SCOPE).strip());
    } catch (IOException | NumberFormatException absent) {
      return 0;
    }
  }

  static String remedy(int scope) {
    return switch (scope) {
      case 0 ->
          "run Ramet as the user that owns the hypervisor's process and with at least its"
              + " capabilities, or give Ramet CAP_SYS_PTRACE; a container must allow ptrace,"
              + " pidfd_getfd, process_vm_readv and process_vm_writev";
      case 1 ->
          "kernel.yama.ptrace_scope is 1, so only the Ramet process that started a hypervisor"
              + " may trace it: set it to 0, or give Ramet CAP_SYS_PTRACE";
      case NOBODY ->
          "kernel.yama.ptrace_scope is 3, which forbids all tracing until the next boot: remove"
              + " that setting (/etc/sysctl.conf, /etc/sysctl.d) and reboot";
      default ->
          "kernel.yama.ptrace_scope is "
              + scope
              + ": set it to 0 or 1, or give Ramet CAP_SYS_PTRACE";
    };
  }
}
