// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.memory.PagemapScan;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import org.jspecify.annotations.Nullable;

/**
 * Finds the pages of one process that a {@link SelectionRule} selects. Since Linux 6.7 the kernel
 * reports ranges without a query per page; on older kernels the page table is read. Not
 * thread-safe.
 */
public final class Selector implements AutoCloseable {
  private final Scanner scanner;
  private @Nullable PagemapScan scan;

  /** Finds pages by both, and closes both. */
  public Selector(Scanner scanner, PagemapScan scan) {
    this.scanner = scanner;
    this.scan = scan;
  }

  /**
   * Opens a process's page table.
   *
   * @throws dev.ramet.errors.RametException as {@link Scanner#open}
   */
  public static Selector open(long pid) {
    Scanner scanner = Scanner.open(pid);
    try {
      return new Selector(scanner, PagemapScan.open(pid));
    } catch (LinuxException e) {
      scanner.close();
      throw Scanner.failure(pid, e);
    }
  }

  /** Adds the pages of one region that the rule selects. */
  public void select(MemoryRegion region, SelectionRule rule, PageRanges.Builder into) {
    PagemapScan ranges = scan;
    if (ranges != null) {
      try {
        Found found = new Found(region, rule, into);
        ranges.find(region.address(), region.lengthBytes(), rule.selectsFilePages(), found);
        found.finish();
        // Linux 6.12 finds nothing in a process that has ended, and says nothing.
        scanner.checkAlive(region.address());
        return;
      } catch (LinuxException e) {
        if (e.errno() != LinuxException.ENOTTY) {
          throw Scanner.failure(pid(), e);
        }
        ranges.close();
        scan = null;
      }
    }
    scanner.scan(region, rule, into);
  }

  /** Collects the results of a scan of one region, and the gaps between them. */
  private static final class Found implements PagemapScan.Sink {
    private final SelectionRule rule;
    private final PageRanges.Builder into;
    private final long shift;
    private final long regionEnd;

    /** The end of what was reported so far. */
    private long at;

    Found(MemoryRegion region, SelectionRule rule, PageRanges.Builder into) {
      this.rule = rule;
      this.into = into;
      this.shift = region.imageOffset() - region.address();
      this.regionEnd = region.address() + region.lengthBytes();
      this.at = region.address();
    }

    @Override
    public void pages(long start, long end, long categories) {
      notFound(start);
      into.copy(start + shift, start, end - start);
      at = end;
    }

    /** Nothing more was found. */
    void finish() {
      notFound(regionEnd);
    }

    private void notFound(long end) {
      if (rule.elseZero() && at < end) {
        into.zero(at + shift, end - at);
      }
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
