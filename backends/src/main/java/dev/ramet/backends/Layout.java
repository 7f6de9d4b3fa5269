// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;

/**
 * Where things are under a root. {@link NodeId} cannot start with a dot, so nothing of ours
 * collides with a node.
 *
 * @param volumes the directory that holds everything
 */
record Layout(Path volumes) {
  /** What a name starts with while the thing is being made. */
  static final String NEW = ".new-";

  /** The file that names the backend. */
  static final String MARKER = ".backend";

  static Layout of(Path root) {
    return new Layout(root.toAbsolutePath().normalize().resolve("volumes"));
  }

  Path marker() {
    return volumes.resolve(MARKER);
  }

  Path directory(NodeId origin) {
    return volumes.resolve(origin.value());
  }

  Path file(NodeId origin, NodeId id) {
    return directory(origin).resolve(id.value());
  }

  /** Where a volume's directory is made. */
  Path newDirectory(NodeId id) {
    return volumes.resolve(NEW + id.value());
  }

  /** Where a snapshot is made. */
  Path newFile(NodeId origin, NodeId id) {
    return directory(origin).resolve(NEW + id.value());
  }
}
