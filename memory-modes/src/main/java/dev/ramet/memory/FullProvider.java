// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcessMemory;
import dev.ramet.memory.page.ProbeErrors;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.util.Map;

/** Provides the mode {@code full}. */
public final class FullProvider implements MemoryModeProvider {
  private static final MemoryFacts FACTS = MemoryFacts.of(MemoryFeature.ANY_MEMORY);
  private static final byte MARK = 0x5a;

  /** Called by {@link java.util.ServiceLoader}. */
  public FullProvider() {}

  @Override
  public String id() {
    return "full";
  }

  @Override
  public MemoryFacts atBest() {
    return FACTS;
  }

  /** Reads memory of this process the way a machine's memory is read. */
  @Override
  public ProbeResult probe(ProbeContext where) {
    long pid = ProcessHandle.current().pid();
    try (NativeBuffer from = NativeBuffer.allocate(NativeBuffer.PAGE_BYTES);
        NativeBuffer to = NativeBuffer.allocate(NativeBuffer.PAGE_BYTES);
        ProcessMemory memory = new ProcessMemory(pid)) {
      from.view(0, 1).put(0, MARK);
      memory.add(from.address(), from.sizeBytes());
      memory.read(to, 0);
      if (to.view(0, 1).get(0) != MARK) {
        return new ProbeResult.Failed(new IllegalStateException("other bytes came back"));
      }
      return new ProbeResult.Usable(FACTS, Map.of("process_vm_readv", "read back a page"));
    } catch (LinuxException e) {
      return ProbeErrors.refused(e);
    } catch (RuntimeException | LinkageError e) {
      return new ProbeResult.Failed(e);
    }
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return new Full();
  }
}
