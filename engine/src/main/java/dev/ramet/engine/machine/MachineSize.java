// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.errors.RametException;
import org.jspecify.annotations.Nullable;

/** The sizes that a machine can have. */
public final class MachineSize {
  private static final int MAX_CPUS = 32;
  private static final long MIN_MEMORY_BYTES = 64L << 20;

  /** More than any machine has; {@link HostMemory} knows the limit of this one. */
  private static final long MAX_MEMORY_BYTES = 1L << 40;

  private MachineSize() {}

  /**
   * Refuses CPU counts and memory sizes that no machine can have.
   *
   * @param cpuCount virtual CPUs, or null when a source decides
   * @param memoryBytes guest memory, or null when a source decides
   * @throws RametException {@code INVALID_ARGUMENT}
   */
  public static void check(@Nullable Integer cpuCount, @Nullable Long memoryBytes) {
    if (cpuCount != null && (cpuCount < 1 || cpuCount > MAX_CPUS)) {
      throw RametException.invalid("cpuCount", "must be 1 to " + MAX_CPUS);
    }
    if (memoryBytes != null
        && (memoryBytes < MIN_MEMORY_BYTES
            || memoryBytes > MAX_MEMORY_BYTES
            || memoryBytes % (1 << 20) != 0)) {
      throw RametException.invalid("memoryMB", "must be 64 to 1048576");
    }
  }
}
