// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import java.nio.LongBuffer;
import java.util.Set;

/**
 * The registers of a stopped x86-64 thread: {@code struct user_regs_struct} of sys/user.h, 27
 * numbers. A view of memory, so that the kernel fills and reads the same bytes.
 */
final class Registers {
  static final int COUNT = 27;
  static final int BYTES = COUNT * Long.BYTES;

  static final int R15 = 0;
  static final int R14 = 1;
  static final int R13 = 2;
  static final int R12 = 3;
  static final int RBP = 4;
  static final int RBX = 5;
  static final int R11 = 6;
  static final int R10 = 7;
  static final int R9 = 8;
  static final int R8 = 9;
  static final int RAX = 10;
  static final int RCX = 11;
  static final int RDX = 12;
  static final int RSI = 13;
  static final int RDI = 14;
  static final int ORIG_RAX = 15;
  static final int RIP = 16;
  static final int CS = 17;
  static final int EFLAGS = 18;
  static final int RSP = 19;
  static final int SS = 20;

  /** Arguments of a system call, in order (syscall(2)). */
  private static final int[] ARGUMENTS = {RDI, RSI, RDX, R10, R8, R9};

  /** The code segment of 64-bit user programs (asm/segment.h, __USER_CS). */
  private static final long USER_CS = 0x33;

  /** The length of the instruction {@code syscall}. */
  static final int SYSCALL_BYTES = 2;

  /**
   * ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND and ERESTART_RESTARTBLOCK (linux/errno.h): the
   * result of an interrupted call inside the kernel, which then restarts it.
   */
  private static final Set<Long> RESTARTED = Set.of(-512L, -513L, -514L, -516L);

  private final LongBuffer values;

  Registers(LongBuffer values) {
    this.values = values;
  }

  void copyFrom(Registers other) {
    for (int i = 0; i < COUNT; i++) {
      values.put(i, other.values.get(i));
    }
  }

  boolean is64Bit() {
    return values.get(CS) == USER_CS;
  }

  /** Returns whether the thread was inside a system call when it stopped. */
  boolean inSystemCall() {
    return values.get(ORIG_RAX) >= 0;
  }

  /** Returns whether the kernel would have the thread make its system call again. */
  boolean awaitsRestart() {
    return inSystemCall() && RESTARTED.contains(values.get(RAX));
  }

  /** Returns the register of an index. */
  long get(int register) {
    return values.get(register);
  }

  /**
   * Makes the thread continue at an address, on another stack. {@code orig_rax} of -1 tells the
   * kernel that there is no interrupted call to restart.
   */
  void jump(long instruction, long stack) {
    values.put(RIP, instruction);
    values.put(RSP, stack);
    values.put(ORIG_RAX, -1);
  }

  /** Sets the registers for a system call. */
  void setCall(long number, long... arguments) {
    values.put(RAX, number);
    for (int i = 0; i < ARGUMENTS.length; i++) {
      values.put(ARGUMENTS[i], i < arguments.length ? arguments[i] : 0);
    }
  }
}
