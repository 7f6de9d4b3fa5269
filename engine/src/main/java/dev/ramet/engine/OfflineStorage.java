// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The roots of a data root that no host has open, for inspection and repair, mostly when the host
 * does not start. No host can open them until this is closed. Machines that still run are not
 * touched. Thread-safe; every call throws {@link dev.ramet.errors.RametException}.
 */
public interface OfflineStorage extends AutoCloseable {
  /**
   * Checks everything below the roots as {@link Storage#check} does. Remains that a host would
   * clean up when it starts count as leftovers here. Only that start removes the ones in which a
   * machine may still run or that belong to a machine.
   *
   * @param repair whether to repair what can be repaired; nothing is changed otherwise
   */
  Storage.Report check(boolean repair);

  /** Reports the space each disk and memory image takes, as {@link Storage#usage} does. */
  List<Storage.RootUsage> usage(Consumer<Storage.NodeUsage> nodes);

  /** Returns the pools that had to be mounted for this; they stay mounted. */
  List<Path> mountedPools();

  /** Lets hosts open the data root again. Idempotent. */
  @Override
  void close();
}
