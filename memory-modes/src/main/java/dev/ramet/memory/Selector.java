// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.PagemapScan;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import org.jspecify.annotations.Nullable;

/**
 * Finds the pages of one process that a {@link Rule} selects. The kernel is asked for ranges, which
 * it tells since Linux 6.7 and without a word about each page; before that the page table is read.
 * Not thread-safe.
 */
final class Selector implements AutoCloseable {
  private static final int ENOTTY = 25;

  private final Scanner scanner;
  private @Nullable PagemapScan scan;

  private Selector(Scanner scanner, PagemapScan scan) {
    this.scanner = scanner;
    this.scan = scan;
  }

  /**
   * Opens a process's page table.
   *
   * @throws dev.ramet.api.RametException as {@link Scanner#open}
   */
  static Selector open(long pid) {
    Scanner scanner = Scanner.open(pid);
    try {
      return new Selector(scanner, PagemapScan.open(pid));
    } catch (LinuxException e) {
      scanner.close();
      throw Scanner.failure(pid, e);
    }
  }

  /** Adds what the rule selects of one region. */
  void select(MemoryRegion region, Rule rule, PageRanges.Builder into) {
    PagemapScan ranges = scan;
    if (ranges != null) {
      try {
        find(ranges, region, rule, into);
        // Linux 6.12 finds nothing in a process that has ended, and says nothing.
        scanner.checkAlive(region.address());
        return;
      } catch (LinuxException e) {
        if (e.errno() != ENOTTY) {
          throw Scanner.failure(pid(), e);
        }
        ranges.close();
        scan = null;
      }
    }
    scanner.scan(region, rule, into);
  }

  private static void find(
      PagemapScan scan, MemoryRegion region, Rule rule, PageRanges.Builder into)
      throws LinuxException {
    long shift = region.imageOffset() - region.address();
    long regionEnd = region.address() + region.lengthBytes();
    long[] at = {region.address()};
    scan.find(
        region.address(),
        region.lengthBytes(),
        rule.takesFiles(),
        (start, end, categories) -> {
          if (rule.elseZero() && at[0] < start) {
            into.zero(at[0] + shift, start - at[0]);
          }
          into.copy(start + shift, start, end - start);
          at[0] = end;
        });
    if (rule.elseZero() && at[0] < regionEnd) {
      into.zero(at[0] + shift, regionEnd - at[0]);
    }
  }

  /** The process it was opened on. */
  long pid() {
    return scanner.pid();
  }

  @Override
  public void close() {
    if (scan != null) {
      scan.close();
    }
    scanner.close();
  }
}
