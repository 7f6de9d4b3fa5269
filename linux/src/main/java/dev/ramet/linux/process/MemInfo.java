// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The memory of this host as /proc/meminfo counts it, see proc_meminfo(5). Immutable; sizes are in
 * bytes.
 *
 * @param totalBytes all memory that programs can use
 * @param availableBytes an estimate of how much new programs can use without swapping
 * @param unwrittenBytes cached data of all files and devices that is not written to its device yet
 * @param deviceCacheBytes cached data of block devices, written or not
 */
public record MemInfo(
    long totalBytes, long availableBytes, long unwrittenBytes, long deviceCacheBytes) {
  private static final Path FILE = Path.of("/proc/meminfo");
  private static final int KIB_SHIFT = 10;

  /** Reads the present numbers. */
  public static MemInfo read() throws IOException {
    Map<String, Long> values = new HashMap<>();
    for (String line : Files.readAllLines(FILE)) {
      String[] words = line.strip().split("\\s+", -1);
      if (words.length >= 2) {
        values.put(words[0], Long.parseLong(words[1]) << KIB_SHIFT);
      }
    }
    return new MemInfo(
        values.getOrDefault("MemTotal:", 0L),
        values.getOrDefault("MemAvailable:", 0L),
        values.getOrDefault("Dirty:", 0L) + values.getOrDefault("Writeback:", 0L),
        values.getOrDefault("Buffers:", 0L));
  }
}
