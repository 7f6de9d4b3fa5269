// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A seccomp filter that is evaluated for a system call that has not been made (seccomp(2),
 * linux/filter.h, linux/seccomp.h). Classic BPF without packets: only the instructions that the
 * kernel allows in a filter. Anything else counts as killing, because a wrong guess would cost a
 * machine.
 */
final class SeccompProgram {
  /** linux/audit.h, AUDIT_ARCH_X86_64. */
  static final int ARCH_X86_64 = 0xc000003e;

  static final int KILL_PROCESS = 0x80000000;
  static final int ALLOW = 0x7fff0000;
  private static final int LOG = 0x7ffc0000;
  private static final int ACTION = 0xffff0000;

  /** struct sock_filter: code, two jumps, and a constant. */
  static final int INSTRUCTION_BYTES = 8;

  /** struct seccomp_data. */
  private static final int DATA_BYTES = 64;

  private static final int SCRATCH = 16;

  private final int[] codes;
  private final int[] jumps;
  private final int[] constants;

  /** Reads {@code length} instructions in native byte order from the start of a buffer. */
  SeccompProgram(ByteBuffer program, int length) {
    ByteBuffer in = program.duplicate().order(ByteOrder.nativeOrder());
    codes = new int[length];
    jumps = new int[length];
    constants = new int[length];
    for (int i = 0; i < length; i++) {
      int at = i * INSTRUCTION_BYTES;
      codes[i] = in.getShort(at) & 0xffff;
      jumps[i] = (in.get(at + 2) & 0xff) << 8 | (in.get(at + 3) & 0xff);
      constants[i] = in.getInt(at + 4);
    }
  }

  /** Builds the input of a filter: {@code struct seccomp_data}. */
  static ByteBuffer call(int number, long instruction, long... arguments) {
    ByteBuffer data = ByteBuffer.allocate(DATA_BYTES).order(ByteOrder.nativeOrder());
    data.putInt(number).putInt(ARCH_X86_64).putLong(instruction);
    for (long argument : arguments) {
      data.putLong(argument);
    }
    return data;
  }

  /**
   * Returns whether an action permits the call, unchanged and without involving another process.
   */
  static boolean permits(int action) {
    return (action & ACTION) == ALLOW || (action & ACTION) == LOG;
  }

  /** Returns the filter's answer, one of {@code SECCOMP_RET_*} with data in the low half. */
  int evaluate(ByteBuffer data) {
    int a = 0;
    int x = 0;
    int[] scratch = new int[SCRATCH];
    // Jumps only lead forward, so this ends.
    for (int pc = 0; pc < codes.length; pc++) {
      int k = constants[pc];
      switch (codes[pc]) {
        case 0x00 -> a = k; // LD IMM
        case 0x01 -> x = k; // LDX IMM
        case 0x20 -> { // LD W ABS
          if (k < 0 || k > DATA_BYTES - Integer.BYTES || (k & 3) != 0) {
            return KILL_PROCESS;
          }
          a = data.getInt(k);
        }
        case 0x80 -> a = DATA_BYTES; // LD W LEN
        case 0x81 -> x = DATA_BYTES; // LDX W LEN
        case 0x60, 0x61, 0x02, 0x03 -> { // LD MEM, LDX MEM, ST, STX
          if (k < 0 || k >= SCRATCH) {
            return KILL_PROCESS;
          }
          switch (codes[pc]) {
            case 0x60 -> a = scratch[k];
            case 0x61 -> x = scratch[k];
            case 0x02 -> scratch[k] = a;
            default -> scratch[k] = x;
          }
        }
        case 0x07 -> x = a; // TAX
        case 0x87 -> a = x; // TXA
        case 0x84 -> a = -a; // NEG
        case 0x04, 0x14, 0x24, 0x34, 0x44, 0x54, 0x64, 0x74, 0xa4 -> a = compute(pc, a, k);
        case 0x0c, 0x1c, 0x2c, 0x3c, 0x4c, 0x5c, 0x6c, 0x7c, 0xac -> {
          if ((codes[pc] & 0xf0) == 0x30 && x == 0) {
            return 0; // A division by zero ends a filter with 0, which kills the thread.
          }
          a = compute(pc, a, x);
        }
        case 0x05 -> pc = forward(pc, k); // JA
        case 0x15, 0x25, 0x35, 0x45 -> pc += jump(pc, a, k);
        case 0x1d, 0x2d, 0x3d, 0x4d -> pc += jump(pc, a, x);
        case 0x06 -> { // RET K
          return k;
        }
        case 0x16 -> { // RET A
          return a;
        }
        default -> {
          return KILL_PROCESS;
        }
      }
    }
    return KILL_PROCESS;
  }

  private int forward(int pc, int distance) {
    return (int) Math.min(codes.length, pc + Integer.toUnsignedLong(distance));
  }

  private int compute(int pc, int a, int operand) {
    return switch (codes[pc] & 0xf0) {
      case 0x00 -> a + operand;
      case 0x10 -> a - operand;
      case 0x20 -> a * operand;
      case 0x30 -> operand == 0 ? 0 : Integer.divideUnsigned(a, operand);
      case 0x40 -> a | operand;
      case 0x50 -> a & operand;
      case 0x60 -> a << operand;
      case 0x70 -> a >>> operand;
      default -> a ^ operand;
    };
  }

  private int jump(int pc, int a, int operand) {
    int order = Integer.compareUnsigned(a, operand);
    boolean taken =
        switch (codes[pc] & 0xf0) {
          case 0x10 -> order == 0;
          case 0x20 -> order > 0;
          case 0x30 -> order >= 0;
          default -> (a & operand) != 0;
        };
    return taken ? jumps[pc] >> 8 : jumps[pc] & 0xff;
  }
}
