// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The data that a signal's delivery leaves on the stack of an x86-64 thread, from which
 * rt_sigreturn(2) restores the thread's whole state: {@code struct rt_sigframe} of
 * arch/x86/include/asm/sigframe.h, then the floating-point state as
 * arch/x86/include/uapi/asm/sigcontext.h describes it. Immutable.
 *
 * <p>Two things differ from a frame that the kernel makes. The flags of the alternate stack are
 * invalid, so that the alternate stack, which no other thread can query, stays as it is:
 * sigaltstack(2) refuses such flags, and {@code restore_altstack} of kernel/signal.c acts on EFAULT
 * only. And because rt_sigreturn ends whatever the kernel would have restarted, the frame itself
 * repeats an interrupted call, as {@code arch_do_signal_or_restart} of arch/x86/kernel/signal.c
 * does; a timeout that the kernel would have continued (restart_syscall(2)) starts from the
 * beginning.
 */
final class SignalFrame {
  /** The area below the stack pointer that the ABI lets a function use without moving it. */
  private static final long RED_ZONE_BYTES = 128;

  private static final int CONTEXT_AT = Long.BYTES;
  private static final int REGISTERS_AT = CONTEXT_AT + 40;
  private static final int FLOATING_POINT_AT = REGISTERS_AT + 184;
  private static final int MASK_AT = REGISTERS_AT + 256;

  /** With a siginfo of 128 bytes, which stays empty. */
  private static final int FRAME_BYTES = MASK_AT + Long.BYTES + 128;

  /**
   * UC_SIGCONTEXT_SS and UC_STRICT_RESTORE_SS (asm/ucontext.h): the frame contains ss, and it is
   * valid.
   */
  private static final long CONTEXT_FLAGS = 2 | 4;

  /** UC_FP_XSTATE: more than the floating-point state that every x86-64 processor has. */
  private static final long EXTENDED = 1;

  /** Neither SS_DISABLE nor SS_ONSTACK nor nothing. */
  private static final int NO_SUCH_STACK = 4;

  /** The order of {@code struct sigcontext_64} up to the flags. */
  private static final int[] ORDER = {
    Registers.R8, Registers.R9, Registers.R10, Registers.R11,
    Registers.R12, Registers.R13, Registers.R14, Registers.R15,
    Registers.RDI, Registers.RSI, Registers.RBP, Registers.RBX,
    Registers.RDX, Registers.RAX, Registers.RCX, Registers.RSP,
    Registers.RIP, Registers.EFLAGS
  };

  private final long address;
  private final ByteBuffer bytes;

  /**
   * Builds the frame of a stopped thread.
   *
   * @param found its registers
   * @param signalMask the signals it blocks
   * @param extended its floating-point state, from the buffer's start to its limit
   * @param restore the address a handler returns to: code that calls rt_sigreturn
   */
  SignalFrame(Registers found, long signalMask, ByteBuffer extended, long restore) {
    int stateBytes = ExtendedState.frameBytes(extended);
    long floatingPoint =
        found.get(Registers.RSP) - RED_ZONE_BYTES - stateBytes & -ExtendedState.ALIGNMENT;
    // As on entry to a function: the return address lies below a multiple of 16.
    address = (floatingPoint - FRAME_BYTES & -16) - Long.BYTES;
    int stateAt = (int) (floatingPoint - address);
    bytes = ByteBuffer.allocate(stateAt + stateBytes).order(ByteOrder.LITTLE_ENDIAN);
    boolean more = ExtendedState.isExtended(extended);
    bytes.putLong(0, restore);
    bytes.putLong(CONTEXT_AT, CONTEXT_FLAGS | (more ? EXTENDED : 0));
    bytes.putInt(CONTEXT_AT + 24, NO_SUCH_STACK);
    bytes.position(REGISTERS_AT);
    for (int register : ORDER) {
      bytes.putLong(found.get(register));
    }
    bytes.putShort((short) found.get(Registers.CS)).putShort((short) 0).putShort((short) 0);
    bytes.putShort((short) found.get(Registers.SS));
    if (found.awaitsRestart()) {
      bytes.putLong(
          registerOffset(Registers.RIP), found.get(Registers.RIP) - Registers.SYSCALL_BYTES);
      bytes.putLong(registerOffset(Registers.RAX), found.get(Registers.ORIG_RAX));
    }
    bytes.putLong(FLOATING_POINT_AT, floatingPoint);
    bytes.putLong(MASK_AT, signalMask);
    ExtendedState.put(extended, bytes, stateAt);
    bytes.clear();
  }

  private static int registerOffset(int register) {
    int i = 0;
    while (ORDER[i] != register) {
      i++;
    }
    return REGISTERS_AT + i * Long.BYTES;
  }

  /**
   * Returns the address it must be stored at; its first word is the address a handler returns to.
   */
  long address() {
    return address;
  }

  /** Returns the stack pointer that rt_sigreturn expects: that word has been taken off. */
  long returnStack() {
    return address + Long.BYTES;
  }

  /** Returns its bytes. */
  ByteBuffer bytes() {
    return bytes.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }
}
