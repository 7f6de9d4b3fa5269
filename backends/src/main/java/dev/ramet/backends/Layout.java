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
public record Layout(Path volumes) {
  /** What a name starts with while the thing is being made. */
  public static final String NEW = ".new-";

  /** The file that names the backend. */
  public static final String MARKER = ".backend";

  /** The layout of a root. */
  public static Layout of(Path root) {
    return new Layout(root.toAbsolutePath().normalize().resolve("volumes"));
  }

  /** The file that names the backend. */
  public Path marker() {
    return volumes.resolve(MARKER);
  }

  /** Whether a name is one that a node has while it is being made. */
  public static boolean isUnfinished(String name) {
    return name.startsWith(NEW) && NodeId.isValid(name.substring(NEW.length()));
  }

  /** Where an origin and its snapshots are. */
  public Path directory(NodeId origin) {
    return volumes.resolve(origin.value());
  }

  /** A node's file. */
  public Path file(NodeId origin, NodeId id) {
    return directory(origin).resolve(id.value());
  }

  /** Where a volume's directory is made. */
  public Path newDirectory(NodeId id) {
    return volumes.resolve(NEW + id.value());
  }

  /** Where a snapshot is made. */
  public Path newFile(NodeId origin, NodeId id) {
    return directory(origin).resolve(NEW + id.value());
  }
}
