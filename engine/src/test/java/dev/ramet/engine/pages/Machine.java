// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.PageRanges;
import java.nio.file.Path;
import java.util.Random;

/**
 * A stand-in for a machine: a private mapping of a base image in this process, with some pages
 * written, some zeroed, and some selected as known to be zero.
 */
final class Machine implements AutoCloseable {
  static final int PAGE = NativeBuffer.PAGE_BYTES;
  static final long PID = ProcessHandle.current().pid();

  private final NativeBuffer memory;
  private final int pages;
  final PageRanges selected;
  final long zeroBytes;

  /** Writes about half of the pages, in runs; every fourth run is zeros. */
  Machine(Path base, int pages, long seed) throws LinuxException {
    this.pages = pages;
    memory = NativeBuffer.mapPrivate(base, 0, (long) pages * PAGE);
    Random random = new Random(seed);
    PageRanges.Builder ranges = new PageRanges.Builder();
    byte[] bytes = new byte[PAGE];
    long zeros = 0;
    int page = random.nextInt(3);
    while (page < pages) {
      int run = Math.min(1 + random.nextInt(6), pages - page);
      int kind = random.nextInt(4);
      for (int end = page + run; page < end; page++) {
        long at = (long) page * PAGE;
        if (kind == 0) {
          memory.view(at, PAGE).put(new byte[PAGE]);
          zeros += PAGE;
          ranges.copy(at, memory.address() + at, PAGE);
        } else if (kind == 1) {
          memory.replaceWithAnonymous(at, PAGE);
          zeros += PAGE;
          ranges.zero(at, PAGE);
        } else {
          random.nextBytes(bytes);
          // Some pages differ from zero only in their last byte.
          boolean sparse = random.nextInt(8) == 0;
          memory.view(at, PAGE).put(sparse ? new byte[PAGE] : bytes).put(PAGE - 1, (byte) 1);
          ranges.copy(at, memory.address() + at, PAGE);
        }
      }
      page += random.nextInt(8);
    }
    selected = ranges.build();
    zeroBytes = zeros;
  }

  long selectedBytes() {
    return selected.copyBytes() + selected.zeroBytes();
  }

  /** Returns the machine's memory as it sees it. */
  byte[] content() {
    byte[] all = new byte[pages * PAGE];
    memory.view(0, all.length).get(all);
    return all;
  }

  /** Returns all of the memory as one range, for a capture without a baseline. */
  PageRanges whole() {
    return new PageRanges.Builder().copy(0, memory.address(), (long) pages * PAGE).build();
  }

  @Override
  public void close() {
    memory.close();
  }
}
