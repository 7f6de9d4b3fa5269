// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.linux.ClearRefs;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.Pagemap;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryCapabilities;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.util.Map;
import java.util.Set;

/** Service entry of the mode {@code soft-dirty}. */
public final class SoftDirtyProvider implements MemoryModeProvider {
  /** Does nothing, as {@link java.util.ServiceLoader} wants it. */
  public SoftDirtyProvider() {}

  @Override
  public String id() {
    return SoftDirty.ID;
  }

  /**
   * Writes a page, resets, looks, writes again and looks again: a kernel that does not track
   * accepts the reset all the same, and would lose every change in silence.
   */
  @Override
  public ProbeResult probe(ProbeContext where) {
    if (new MergeDaemon(MergeDaemon.CONTROL).runs()) {
      return new ProbeResult.Unusable(
          "kernel samepage merging is on",
          MergeDaemon.REASON,
          "echo 2 > " + MergeDaemon.CONTROL + ", or use mode write-tracking");
    }
    long pid = ProcessHandle.current().pid();
    try (NativeBuffer memory = NativeBuffer.allocate(NativeBuffer.PAGE_BYTES);
        NativeBuffer answer = NativeBuffer.allocate(NativeBuffer.PAGE_BYTES);
        Pagemap pagemap = Pagemap.open(pid);
        ClearRefs bits = ClearRefs.open(pid)) {
      memory.view(0, 1).put(0, (byte) 1);
      bits.resetSoftDirty();
      long reset = entry(pagemap, memory, answer);
      memory.view(0, 1).put(0, (byte) 2);
      long written = entry(pagemap, memory, answer);
      String seen = "after the reset %#x, after a write %#x".formatted(reset, written);
      boolean tracks =
          (reset & Pagemap.SOFT_DIRTY) == 0
              && (written & Pagemap.SOFT_DIRTY) != 0
              && (written & SoftDirty.EXCLUSIVE) != 0;
      return tracks
          ? new ProbeResult.Usable(
              Set.of(MemoryCapabilities.SINCE_RESTORE, MemoryCapabilities.SINCE_CAPTURE),
              Map.of("soft-dirty", seen))
          : new ProbeResult.Unusable(
              "the kernel does not track soft-dirty pages",
              seen,
              "use a kernel with CONFIG_MEM_SOFT_DIRTY (Debian's have it on x86-64), or mode"
                  + " write-tracking");
    } catch (LinuxException e) {
      return Probes.refused(e);
    } catch (RuntimeException | LinkageError e) {
      return new ProbeResult.Failed(e);
    }
  }

  private static long entry(Pagemap pagemap, NativeBuffer memory, NativeBuffer answer)
      throws LinuxException {
    pagemap.read(memory.address(), 1, answer);
    return answer.view(0, Long.BYTES).getLong(0);
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return new SoftDirty(new MergeDaemon(MergeDaemon.CONTROL));
  }
}
