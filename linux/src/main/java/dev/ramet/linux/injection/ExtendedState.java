// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.TraceCalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A thread's floating-point and vector registers: the data XSAVE stores, in its standard format, or
 * FXSAVE on a processor without it. ptrace(2) returns it almost in the form of a signal frame; this
 * class does the rest as arch/x86/kernel/fpu/signal.c does it ({@code save_xstate_epilog}).
 */
final class ExtendedState {
  /** The alignment that XRSTOR requires. */
  static final long ALIGNMENT = 64;

  /** FXSAVE's part, which comes first. */
  private static final int LEGACY_BYTES = 512;

  /** {@code struct _fpx_sw_bytes}; ptrace has the kernel's own features at its start. */
  private static final int SOFTWARE_AT = 464;

  private static final int MAGIC_1 = 0x46505853;
  private static final int MAGIC_2 = 0x46505845;
  private static final int MAGIC_BYTES = Integer.BYTES;

  /** Which parts are present; the first two always are in a signal frame. */
  private static final int HEADER_AT = LEGACY_BYTES;

  private static final long LEGACY = 3;

  /**
   * AMX's tiles, the only part that a process must ask for (arch_prctl(2), ARCH_REQ_XCOMP_PERM) and
   * the last one. The state of a process that did not ask ends before it, although ptrace tells it.
   */
  private static final long TILES = 1L << 18;

  private static final int TILES_BYTES = 8192;

  /** Much more than any processor has. */
  private static final int MAX_BYTES = 64 * 1024;

  private ExtendedState() {}

  /** Reads the state of a traced, stopped thread. */
  static ByteBuffer read(Ptrace ptrace) throws LinuxException {
    try (NativeBuffer copy = NativeBuffer.allocate(MAX_BYTES)) {
      int length = ptrace.registers(TraceCalls.NT_X86_XSTATE, copy.address(), MAX_BYTES);
      if (length == 0) {
        ptrace.request(TraceCalls.PTRACE_GETFPREGS, 0, copy.address());
        length = LEGACY_BYTES;
      }
      ByteBuffer state = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
      return state.put(copy.view(0, length)).clear().order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  /** Returns whether it is in XSAVE's format. */
  static boolean isExtended(ByteBuffer state) {
    return state.limit() > LEGACY_BYTES;
  }

  /** Returns the size it takes in a signal frame. */
  static int frameBytes(ByteBuffer state) {
    return state.limit() + MAGIC_BYTES;
  }

  /** Puts it into a signal frame. */
  static void put(ByteBuffer state, ByteBuffer frame, int at) {
    frame.put(at, state, 0, state.limit());
    if (!isExtended(state)) {
      return;
    }
    long features = state.getLong(SOFTWARE_AT);
    long present = state.getLong(HEADER_AT) | LEGACY;
    frame.putLong(at + HEADER_AT, present);
    // The kernel looks for the second number at the end of what the process may have, or, before
    // Linux 6.8, at the end that is given here, which must not lie behind that.
    int sizeBytes = state.limit();
    frame.putInt(at + sizeBytes, MAGIC_2);
    if ((features & TILES) != 0 && (present & TILES) == 0) {
      sizeBytes -= TILES_BYTES;
      frame.putInt(at + sizeBytes, MAGIC_2);
    }
    int software = at + SOFTWARE_AT;
    frame.putInt(software, MAGIC_1).putInt(software + 4, sizeBytes + MAGIC_BYTES);
    frame.putLong(software + 8, features).putInt(software + 16, sizeBytes);
    for (int i = software + 20; i < at + HEADER_AT; i += Integer.BYTES) {
      frame.putInt(i, 0);
    }
  }
}
