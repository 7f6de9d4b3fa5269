// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.memory.Pagemap;
import dev.ramet.memory.page.ProbeErrors;
import dev.ramet.memory.page.SelectionRule;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Provides the mode {@code incremental}. */
public final class IncrementalProvider implements MemoryModeProvider {
  private static final MemoryFacts FACTS = MemoryFacts.of(MemoryFeature.SINCE_RESTORE);
  private static final int PAGE = NativeBuffer.PAGE_BYTES;

  /** Called by {@link java.util.ServiceLoader}. */
  public IncrementalProvider() {}

  @Override
  public String id() {
    return Incremental.ID;
  }

  @Override
  public MemoryFacts atBest() {
    return FACTS;
  }

  /**
   * Maps three pages of a file privately, writes one, reads one and leaves one alone, and checks
   * that the page table distinguishes them.
   */
  @Override
  public ProbeResult probe(ProbeContext where) {
    try {
      Path file = Files.createTempFile(where.root(), "probe-", ".img");
      try {
        Files.write(file, new byte[3 * PAGE]);
        return testKernel(file);
      } finally {
        Files.delete(file);
      }
    } catch (LinuxException e) {
      return ProbeErrors.refused(e);
    } catch (IOException | RuntimeException | LinkageError e) {
      return new ProbeResult.Failed(e);
    }
  }

  private static ProbeResult testKernel(Path file) throws LinuxException {
    try (NativeBuffer image = NativeBuffer.mapPrivate(file, 0, 3L * PAGE);
        NativeBuffer answer = NativeBuffer.allocate(PAGE);
        Pagemap pagemap = Pagemap.open(ProcessHandle.current().pid())) {
      byte read = image.view(PAGE, 1).get(0);
      image.view(2L * PAGE, 1).put(0, (byte) (read + 1));
      pagemap.read(image.address(), 3, answer);
      LongBuffer entries = answer.view(0, 3 * Pagemap.ENTRY_BYTES).asLongBuffer();
      boolean wrong =
          SelectionRule.CHANGED_COPIES.isCopied(entries.get(0))
              || SelectionRule.CHANGED_COPIES.isCopied(entries.get(1));
      boolean lost = !SelectionRule.CHANGED_COPIES.isCopied(entries.get(2));
      String seen =
          "untouched %#x, read %#x, written %#x"
              .formatted(entries.get(0), entries.get(1), entries.get(2));
      return wrong || lost
          ? new ProbeResult.Unusable(
              "the page table does not tell written pages from read ones",
              seen,
              "use a Linux kernel whose /proc/<pid>/pagemap has bit 61 (since 3.5)")
          : new ProbeResult.Usable(FACTS, Map.of("pagemap", seen));
    }
  }

  @Override
  public MemoryMode open(ProbeContext where) {
    return new Incremental();
  }
}
