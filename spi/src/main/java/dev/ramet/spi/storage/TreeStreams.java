// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Sends immutable trees of {@link DirectorySnapshots} from one root to another as a file, whole or
 * as the difference from a tree that both roots have; stated by {@link
 * StorageFeature#INCREMENTAL_STREAMS}. Thread-safe.
 */
public interface TreeStreams extends DirectorySnapshots {
  /**
   * Writes a tree to a new file, durably. The file appears whole or not at all.
   *
   * @param tree an immutable tree ({@code CONFLICT} otherwise)
   * @param base an immutable tree that the receiver has too, or null for the whole tree
   * @param target a free name
   */
  void sendTree(NodeId tree, @Nullable NodeId base, Path target);

  /**
   * Creates an immutable tree from a file that {@link #sendTree} wrote, durably.
   *
   * @param source the file
   * @param id the name of the new tree
   * @return the path of the tree
   * @throws dev.ramet.errors.RametException {@code CONFLICT} if the stream cannot be applied, for
   *     example because its base is missing here or the file is damaged
   */
  Path receiveTree(Path source, NodeId id);
}
