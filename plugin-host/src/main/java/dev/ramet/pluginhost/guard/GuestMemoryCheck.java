// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.DirtyLog;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;

/**
 * Checks the process id and memory layout that a driver reports, because the engine reads that
 * process.
 */
final class GuestMemoryCheck {
  private static final long PAGE_BYTES = 4096;

  private GuestMemoryCheck() {}

  /** Returns a process id after checking it. */
  static long pid(Guard guard, long answer) {
    if (answer <= 1) {
      throw guard.contractViolation("pid", answer + ", which is no process of a machine");
    }
    return answer;
  }

  /** Returns the place that a guest sends through after checking it. */
  static EgressPoint egress(Guard guard, EgressPoint answer) {
    if (answer instanceof EgressPoint.Process process) {
      pid(guard, process.pid());
    }
    return answer;
  }

  /** Returns a machine's memory layout after checking it. */
  static GuestMemory requireValid(Guard guard, GuestMemory memory, long pid, VmSpec spec) {
    if (memory.pid() != pid || memory.imageSizeBytes() != spec.memoryBytes()) {
      throw guard.contractViolation(
          "memory",
          memory + " for process " + pid + " with " + spec.memoryBytes() + " bytes of memory");
    }
    long end = 0;
    for (MemoryRegion region : memory.regions()) {
      long offset = region.imageOffset();
      long length = region.lengthBytes();
      boolean pages = ((offset | length | region.address()) & (PAGE_BYTES - 1)) == 0;
      if (!pages || offset < end || length <= 0 || length > memory.imageSizeBytes() - offset) {
        throw guard.contractViolation(
            "memory", region + ", which does not fit into the image of " + memory);
      }
      end = offset + length;
    }
    DirtyLog log = memory.dirtyLog();
    return log == null ? memory : memory.with(new GuardedDirtyLog(log, guard));
  }
}
