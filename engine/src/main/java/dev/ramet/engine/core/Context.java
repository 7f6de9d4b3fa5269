// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.guest.Agent;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.network.EgressFilter;
import dev.ramet.engine.pages.PageWriter;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.engine.volume.VolumeLinks;
import dev.ramet.engine.volume.VolumeStore;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.storage.StorageBackend;

/**
 * The components that the engine's operations share; one instance per open engine.
 *
 * @param config the engine's settings
 * @param layout the paths below the root
 * @param storage the selected storage backend
 * @param hypervisor the selected hypervisor
 * @param modes the memory modes that work here
 * @param pages the page writer
 * @param agent client of guest agents
 * @param requests applies request rules to guests' requests
 * @param egress keeps guests from addresses they may not reach
 * @param snapshots the snapshots of the root
 * @param sandboxes the sandboxes of the root
 * @param writings the snapshots that are still being written
 * @param volumes the volumes of the root
 * @param links the connections of machines to volumes
 * @param metrics the engine's metrics
 */
public record Context(
    EngineConfig config,
    Layout layout,
    StorageBackend storage,
    Hypervisor hypervisor,
    MemoryModes modes,
    PageWriter pages,
    Agent agent,
    GuestRequests requests,
    EgressFilter egress,
    SnapshotStore snapshots,
    SandboxStore sandboxes,
    PendingSnapshots writings,
    VolumeStore volumes,
    VolumeLinks links,
    Registry metrics) {
  /** Returns the contents of the root. */
  public RootContents holdings() {
    return new RootContents(
        config.dataRoot(),
        layout,
        storage,
        snapshots,
        sandboxes,
        writings,
        hypervisor,
        config.steps(),
        false);
  }

  /** Reports to the observer that a step is about to be taken. */
  public void before(String step) {
    config.steps().before(step);
  }
}
