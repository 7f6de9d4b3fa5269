// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcMaps;
import dev.ramet.linux.process.ProcessMemory;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of existing code in a process that a borrowed thread is made to execute, so that no
 * code has to be written into it. The bytes may be part of other instructions: the processor
 * executes whatever it finds at the address.
 *
 * @param call the address of {@code syscall; ret}, which every C library has
 * @param restore the address of {@code mov $15, %eax; syscall}, rt_sigreturn(2), where signal
 *     handlers return to (the C library's {@code sa_restorer})
 * @param restored the address after that {@code syscall}
 */
record Gadgets(long call, long restore, long restored) {
  private static final int PIECE_BYTES = 64 * 1024;

  /** {@code mov $15, %rax}, and the shorter {@code mov $15, %eax}. */
  private static final byte[][] RETURNS = {
    {0x48, (byte) 0xc7, (byte) 0xc0, 15, 0, 0, 0}, {(byte) 0xb8, 15, 0, 0, 0}
  };

  /** Adjacent pieces overlap by the longest pattern searched for, less one byte. */
  private static final int OVERLAP_BYTES = RETURNS[0].length + Registers.SYSCALL_BYTES;

  private static final byte RET = (byte) 0xc3;

  /** Returns the address that the system call returns to. */
  long called() {
    return call + Registers.SYSCALL_BYTES;
  }

  /**
   * Finds both addresses, or returns null. Only code of files is used: code that a compiler made at
   * run time may be gone the next moment. The C library is searched first, because it has both and
   * is never unloaded.
   */
  static @Nullable Gadgets find(long pid) throws LinuxException {
    List<ProcMaps.Mapping> code =
        ProcMaps.read(pid).stream()
            .filter(m -> m.permissions().startsWith("r-x"))
            .filter(m -> m.inode() != 0 || m.path().equals("[vdso]"))
            .sorted(Comparator.comparing(m -> !isLibraryOfC(m.path())))
            .toList();
    Search search = new Search();
    try (ProcessMemory memory = new ProcessMemory(pid);
        NativeBuffer piece = NativeBuffer.allocate(PIECE_BYTES)) {
      for (ProcMaps.Mapping mapping : code) {
        if (search.in(mapping, memory, piece)) {
          return new Gadgets(search.call, search.restore, search.restored);
        }
      }
    }
    return null;
  }

  private static boolean isLibraryOfC(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    return name.startsWith("libc.") || name.startsWith("libc-") || name.startsWith("ld-musl");
  }

  private static final class Search {
    private final byte[] bytes = new byte[PIECE_BYTES];
    long call;
    long restore;
    long restored;

    boolean in(ProcMaps.Mapping mapping, ProcessMemory memory, NativeBuffer piece)
        throws LinuxException {
      for (long at = mapping.start(); at < mapping.end(); at += PIECE_BYTES - OVERLAP_BYTES) {
        int length = (int) Math.min(PIECE_BYTES, mapping.end() - at);
        memory.add(at, length);
        try {
          memory.read(piece, 0);
        } catch (LinuxException e) {
          if (e.errno() == LinuxException.EFAULT) {
            return false; // Special mappings cannot be read; another one will do.
          }
          throw e;
        }
        piece.view(0, length).get(bytes, 0, length);
        if (in(at, length)) {
          return true;
        }
      }
      return false;
    }

    private boolean in(long start, int length) {
      for (int i = 0; i + 1 < length; i++) {
        if (bytes[i] == 0x0f && bytes[i + 1] == 0x05) {
          int behind = i + Registers.SYSCALL_BYTES;
          if (call == 0 && behind < length && bytes[behind] == RET) {
            call = start + i;
          }
          for (byte[] load : RETURNS) {
            if (restore == 0 && endsWith(i, load)) {
              restore = start + i - load.length;
              restored = start + behind;
            }
          }
          if (call != 0 && restore != 0) {
            return true;
          }
        }
      }
      return false;
    }

    private boolean endsWith(int end, byte[] part) {
      int from = end - part.length;
      return from >= 0 && Arrays.equals(bytes, from, end, part, 0, part.length);
    }
  }
}
