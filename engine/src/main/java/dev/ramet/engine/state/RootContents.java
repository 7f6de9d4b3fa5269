// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.EngineConfig;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.storage.StorageBackend;
import java.nio.file.Path;

/**
 * What a data root holds, apart from who works on it: what looking it through and clearing it away
 * need.
 *
 * @param dataRoot the directory that the operator named
 * @param layout where things are
 * @param storage its storage backend
 * @param snapshots its snapshots
 * @param sandboxes its sandboxes
 * @param writings the snapshots that are still being written
 * @param hypervisor ends the machines that leftovers belong to; nobody asks it of a root at rest
 * @param steps sees each step
 * @param atRest no engine works on it: nothing is on its way, and what a start puts in order is as
 *     the last engine left it
 */
public record RootContents(
    Path dataRoot,
    Layout layout,
    StorageBackend storage,
    SnapshotStore snapshots,
    SandboxStore sandboxes,
    PendingSnapshots writings,
    Hypervisor hypervisor,
    EngineConfig.Steps steps,
    boolean atRest) {
  /** Tells whoever looks that the step is about to be taken. */
  void before(String step) {
    steps.before(step);
  }
}
