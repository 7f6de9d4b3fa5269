// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import java.nio.LongBuffer;

/**
 * The registers of a stopped x86-64 thread: {@code struct user_regs_struct} of sys/user.h, 27
 * numbers. A view of memory, so that the kernel fills and reads the same bytes.
 */
final class Registers {
  static final int COUNT = 27;
  static final int BYTES = COUNT * Long.BYTES;

  private static final int R10 = 7;
  private static final int R9 = 8;
  private static final int R8 = 9;
  private static final int RAX = 10;
  private static final int RDX = 12;
  private static final int RSI = 13;
  private static final int RDI = 14;
  private static final int ORIG_RAX = 15;
  private static final int RIP = 16;
  private static final int CS = 17;

  /** Arguments of a system call, in order (syscall(2)). */
  private static final int[] ARGUMENTS = {RDI, RSI, RDX, R10, R8, R9};

  /** The code segment of 64-bit user programs (asm/segment.h, __USER_CS). */
  private static final long USER_CS = 0x33;

  /** The length of the instruction {@code syscall}. */
  static final int SYSCALL_BYTES = 2;

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

  /** Whether the thread was inside a system call when it stopped. */
  boolean inSystemCall() {
    return values.get(ORIG_RAX) >= 0;
  }

  long result() {
    return values.get(RAX);
  }

  long instruction() {
    return values.get(RIP);
  }

  /**
   * Makes the thread's next instruction a system call. {@code orig_rax} of -1 tells the kernel that
   * there is no interrupted call that it would have to restart.
   */
  void prepareCall(long instruction, long number, long... arguments) {
    values.put(RIP, instruction);
    values.put(RAX, number);
    values.put(ORIG_RAX, -1);
    for (int i = 0; i < ARGUMENTS.length; i++) {
      values.put(ARGUMENTS[i], i < arguments.length ? arguments[i] : 0);
    }
  }
}
