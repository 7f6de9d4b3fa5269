// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Undo;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Where new snapshots and templates are written: their manifests and small files below the root,
 * and their images in storage.
 *
 * @param layout the paths below the root
 * @param snapshots publishes the manifests
 * @param storage holds the images
 * @param steps called before each step of the writing
 */
public record SnapshotTarget(
    Layout layout, SnapshotStore snapshots, StorageBackend storage, StepObserver steps) {
  /**
   * Begins a snapshot, before anything else with its id exists.
   *
   * @param operation prefix of the step's name
   * @param undo abandons the snapshot again if the operation fails
   * @return the directory to fill
   */
  public Path begin(String operation, String id, Undo undo) throws IOException {
    before(operation + ".directory");
    undo.add("directory of " + id, () -> snapshots.abandon(id));
    return snapshots.beginSnapshot(id);
  }

  /** Reports to the observer that a step is about to be taken. */
  public void before(String step) {
    steps.before(step);
  }

  /** Returns the root, by which a full disk is recognised. */
  public Path root() {
    return layout.root();
  }
}
