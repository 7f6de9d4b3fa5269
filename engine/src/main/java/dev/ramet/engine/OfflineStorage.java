// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The roots of a data root that no host has open, to be looked through: above all when its host
 * does not start. No host can open them before this is closed. Machines that run on are not
 * touched. Thread-safe; every call throws {@link dev.ramet.errors.RametException}.
 */
public interface OfflineStorage extends AutoCloseable {
  /**
   * Looks through everything below the roots as {@link Storage#check} does. What a start of a host
   * would put in order is a leftover here; where a machine may still run in it, or belongs to it,
   * that start alone removes it.
   *
   * @param repair whether to put in order what can be; nothing is changed otherwise
   */
  Storage.Report check(boolean repair);

  /** Tells what each disk and memory image takes, as {@link Storage#usage} does. */
  List<Storage.RootUsage> usage(Consumer<Storage.NodeUsage> nodes);

  /** The pools that were not mounted, and had to be for this; they stay mounted. */
  List<Path> mounted();

  /** Lets hosts open the data root again. Idempotent. */
  @Override
  void close();
}
