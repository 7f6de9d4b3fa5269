// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.root.ReadOnlyRoot;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.StorageFinding;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A root opened for examination only, with its trees. Thread-safe. */
final class ExaminedTrees extends ReadOnlyRoot {
  private final TreeInspection trees;

  ExaminedTrees(Path root, Layout layout, Fd lock) throws LinuxException {
    super(layout, lock, BtrfsBackend.OWN_NAMES);
    TreeDirectory place = new TreeDirectory(root, Steps.NONE);
    this.trees = new TreeInspection(place, new Receivers(place));
  }

  @Override
  public void inspect(boolean mend, Consumer<StorageFinding> findings) {
    super.inspect(mend, findings);
    trees.run(mend, findings);
  }
}
