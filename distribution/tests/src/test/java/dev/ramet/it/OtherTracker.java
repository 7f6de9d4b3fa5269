// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Tracks a machine's writes before the host does. The kernel allows one tracker at a time and
 * refuses the host, as it does with a hypervisor that itself uses userfaultfd.
 */
final class OtherTracker implements AutoCloseable {
  private final MemoryMode mode;
  private final MemoryTracker tracker;

  private OtherTracker(MemoryMode mode, MemoryTracker tracker) {
    this.mode = mode;
    this.tracker = tracker;
  }

  /**
   * Starts to track a hypervisor that has mapped a memory image.
   *
   * @param scratch an existing directory
   */
  static OtherTracker of(long pid, Path scratch) throws IOException {
    MemoryModeProvider provider =
        ServiceLoader.load(ModuleLayer.boot(), MemoryModeProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(one -> one.id().equals(Modes.TRACKING))
            .findFirst()
            .orElseThrow();
    GuestMemory memory = memory(pid);
    MemoryMode mode = provider.open(new ProbeContext(scratch));
    MemoryTracker tracker = mode.attach(memory);
    tracker.select(memory);
    tracker.committed();
    return new OtherTracker(mode, tracker);
  }

  /** Returns the process's private mappings of a memory image, from proc_pid_maps(5). */
  private static GuestMemory memory(long pid) throws IOException {
    List<MemoryRegion> regions = new ArrayList<>();
    long end = 0;
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
      String[] fields = line.split("[ ]+", 6);
      if (fields[1].endsWith("p") && fields[fields.length - 1].endsWith(".memory")) {
        String[] addresses = fields[0].split("-", 2);
        long address = Long.parseLong(addresses[0], 16);
        long length = Long.parseLong(addresses[1], 16) - address;
        long offset = Long.parseLong(fields[2], 16);
        regions.add(new MemoryRegion(offset, address, length, MemoryRegion.Kind.PRIVATE_IMAGE));
        end = Math.max(end, offset + length);
      }
    }
    return new GuestMemory(pid, end, regions);
  }

  @Override
  public void close() {
    tracker.close();
    mode.close();
  }
}
