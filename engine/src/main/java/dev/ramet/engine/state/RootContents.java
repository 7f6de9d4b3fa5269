// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.StepObserver;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.storage.StorageBackend;
import java.nio.file.Path;

/**
 * Everything in a data root that checks and clean-up need, independent of a running engine.
 *
 * @param dataRoot the directory that the operator named
 * @param layout the paths below the root
 * @param storage its storage backend
 * @param records its manifests
 * @param hypervisor ends the machines that leftovers belong to; unused for an offline root
 * @param steps called before each step
 * @param atRest whether no engine has the root open: nothing is in progress, and remains that the
 *     next start will clean up are still there
 */
public record RootContents(
    Path dataRoot,
    Layout layout,
    StorageBackend storage,
    Records records,
    Hypervisor hypervisor,
    StepObserver steps,
    boolean atRest) {
  /**
   * The manifests in a data root.
   *
   * @param snapshots its snapshots
   * @param sandboxes its sandboxes
   * @param writings the snapshots that are still being written
   */
  public record Records(
      SnapshotStore snapshots, SandboxStore sandboxes, PendingSnapshots writings) {}

  /** Returns this part of {@link #records}. */
  public SnapshotStore snapshots() {
    return records.snapshots();
  }

  /** Returns this part of {@link #records}. */
  public SandboxStore sandboxes() {
    return records.sandboxes();
  }

  /** Returns this part of {@link #records}. */
  public PendingSnapshots writings() {
    return records.writings();
  }

  /** Reports to the observer that a step is about to be taken. */
  void before(String step) {
    steps.before(step);
  }
}
