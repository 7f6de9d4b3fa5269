// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;

/** Finds an instruction {@code syscall} in a process, so that none has to be written into it. */
final class SyscallInstruction {
  private static final int PIECE_BYTES = 64 * 1024;
  private static final int OVERLAP_BYTES = Registers.SYSCALL_BYTES - 1;

  private SyscallInstruction() {}

  /**
   * Its address, or 0. The kernel's own mapping, {@code [vdso]}, has one on nearly every host and
   * is looked at first; then whatever code the process has mapped. That the two bytes may be a part
   * of another instruction does not matter: the processor runs what it finds where it is sent.
   */
  static long find(long pid) throws LinuxException {
    List<ProcMaps.Mapping> code =
        ProcMaps.read(pid).stream()
            .filter(m -> m.permissions().startsWith("r-x"))
            .sorted(Comparator.comparing(m -> !m.path().equals("[vdso]")))
            .toList();
    try (ProcessMemory memory = new ProcessMemory(pid);
        NativeBuffer piece = NativeBuffer.allocate(PIECE_BYTES)) {
      for (ProcMaps.Mapping mapping : code) {
        long found = find(mapping, memory, piece);
        if (found != 0) {
          return found;
        }
      }
    }
    return 0;
  }

  private static long find(ProcMaps.Mapping mapping, ProcessMemory memory, NativeBuffer piece)
      throws LinuxException {
    for (long at = mapping.start(); at < mapping.end(); at += PIECE_BYTES - OVERLAP_BYTES) {
      int length = (int) Math.min(PIECE_BYTES, mapping.end() - at);
      memory.add(at, length);
      try {
        memory.read(piece, 0);
      } catch (LinuxException e) {
        if (e.errno() == LinuxException.EFAULT) {
          return 0; // Special mappings cannot be read; another one will do.
        }
        throw e;
      }
      ByteBuffer bytes = piece.view(0, length);
      for (int i = 0; i + 1 < length; i++) {
        if (bytes.get(i) == 0x0f && bytes.get(i + 1) == 0x05) {
          return at + i;
        }
      }
    }
    return 0;
  }
}
