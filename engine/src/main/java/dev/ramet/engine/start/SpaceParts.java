// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.guard.SpaceGuard;
import dev.ramet.engine.guard.StartGate;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.root.OpenRoot;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.space.StorageReserve;
import dev.ramet.engine.space.WatchedFileSystem;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.support.Undo;
import dev.ramet.spi.storage.Attachment;
import java.util.List;

/**
 * The parts that watch the free space of the roots.
 *
 * @param disks the file systems that take the data of disks
 * @param all those and the file systems that take memory images
 * @param devices whether disks are block devices
 */
record SpaceParts(FreeSpace disks, FreeSpace all, boolean devices) {
  static SpaceParts of(EngineConfig config, OpenedRoots opened) {
    StorageReserve reserve = StorageReserve.from(config.settings());
    List<OpenRoot> places = opened.places();
    return new SpaceParts(
        new FreeSpace(below(places.get(0)), reserve),
        new FreeSpace(
            places.stream().flatMap(place -> below(place).stream()).distinct().toList(), reserve),
        onDevices(places.get(0)));
  }

  private static List<WatchedFileSystem> below(OpenRoot place) {
    return WatchedFileSystem.below(place.path(), onDevices(place));
  }

  private static boolean onDevices(OpenRoot place) {
    return place.root().provider().atBest().attachments().contains(Attachment.Kind.BLOCK_DEVICE);
  }

  /**
   * Starts to watch machines that run or are found again.
   *
   * @param gate the machines that are being started
   */
  void guard(RootContents root, StartGate gate, Registry metrics, Undo close) {
    SpaceGuard guard =
        new SpaceGuard(root.layout().root(), disks, all, devices, root.sandboxes(), gate, metrics);
    close.add("watching of free space", guard::close);
  }
}
