// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.disk;

import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;

/**
 * The paths under a root. {@link NodeId} cannot start with a dot, so none of our names collides
 * with a node.
 *
 * @param volumes the directory that holds everything
 */
public record Layout(Path volumes) {
  /** The prefix of a name whose file or directory is unfinished. */
  public static final String NEW = ".new-";

  /** The file that names the backend. */
  public static final String MARKER = ".backend";

  /** Returns the layout of a root. */
  public static Layout of(Path root) {
    return new Layout(root.toAbsolutePath().normalize().resolve("volumes"));
  }

  /** Returns the file that names the backend. */
  public Path marker() {
    return volumes.resolve(MARKER);
  }

  /** Returns whether a name is that of an unfinished node. */
  public static boolean isUnfinished(String name) {
    return name.startsWith(NEW) && NodeId.isValid(name.substring(NEW.length()));
  }

  /** Returns the directory of an origin and its snapshots. */
  public Path directory(NodeId origin) {
    return volumes.resolve(origin.value());
  }

  /** Returns a node's file. */
  public Path file(NodeId origin, NodeId id) {
    return directory(origin).resolve(id.value());
  }

  /** Returns the directory in which a volume is created. */
  public Path newDirectory(NodeId id) {
    return volumes.resolve(NEW + id.value());
  }

  /** Returns the file in which a snapshot is created. */
  public Path newFile(NodeId origin, NodeId id) {
    return directory(origin).resolve(NEW + id.value());
  }
}
