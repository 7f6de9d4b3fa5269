// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.call;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * Direct mappings for tracing (ptrace(2), linux/ptrace.h, asm/unistd_64.h). As everywhere, {@link
 * Native#getLastError} is read in the very next statement.
 */
public final class TraceCalls {
  public static final int PTRACE_CONT = 7;
  public static final int PTRACE_GETREGS = 12;
  public static final int PTRACE_SETREGS = 13;
  public static final int PTRACE_GETFPREGS = 14;
  public static final int PTRACE_DETACH = 17;
  public static final int PTRACE_SYSCALL = 24;
  public static final int PTRACE_GETREGSET = 0x4204;
  public static final int PTRACE_SEIZE = 0x4206;
  public static final int PTRACE_INTERRUPT = 0x4207;
  public static final int PTRACE_GETSIGMASK = 0x420a;
  public static final int PTRACE_SETSIGMASK = 0x420b;
  public static final int PTRACE_SECCOMP_GET_FILTER = 0x420c;
  public static final int PTRACE_GET_RSEQ_CONFIGURATION = 0x420f;

  public static final long PTRACE_O_TRACESYSGOOD = 1;
  public static final int PTRACE_EVENT_STOP = 128;

  // Sets of registers (linux/elf.h).
  public static final int NT_X86_XSTATE = 0x202;
  public static final int NT_X86_SHSTK = 0x204;

  public static final int WNOHANG = 1;
  public static final int WALL = 0x40000000;

  // Numbers of x86-64: the only architecture whose registers this module knows.
  public static final long NR_CLOSE = 3;
  public static final long NR_RT_SIGRETURN = 15;
  public static final long NR_USERFAULTFD = 323;
  public static final long NR_PIDFD_OPEN = 434;
  public static final long NR_PIDFD_GETFD = 438;

  private TraceCalls() {}

  static {
    Native.register(TraceCalls.class, NativeLibrary.getInstance(null));
  }

  public static native long ptrace(long request, long thread, long address, long data);

  public static native int waitpid(int thread, long status, int options);

  public static native long syscall(long number, long first, long second, long third);
}
