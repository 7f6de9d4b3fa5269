// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.api.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.PathCalls;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds the index from what is on disk, and clears away what a crash left half-made. Deletes
 * nothing but that: what it does not understand it reports and leaves alone.
 */
public final class RootScan {
  private static final System.Logger LOG = System.getLogger(RootScan.class.getName());

  private final Layout layout;
  private final NodeIndex index;

  /** A scan of a root into an index. */
  public RootScan(Layout layout, NodeIndex index) {
    this.layout = layout;
    this.index = index;
  }

  /** Does it, once, before anybody uses the index. */
  public void run() throws IOException, LinuxException {
    // In the order of names, so that of two equal ones the same is taken every time.
    for (Path path : entries(layout.volumes())) {
      String name = path.getFileName().toString();
      if (name.equals(Layout.MARKER)) {
        continue;
      }
      NodeId origin = nodeId(name);
      if (name.startsWith(Layout.NEW)) {
        discard(path);
      } else if (origin == null || !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        LOG.log(WARNING, "left alone, not the directory of a volume: {0}", path);
      } else {
        scan(origin, path);
      }
    }
  }

  private void scan(NodeId origin, Path directory) throws IOException, LinuxException {
    Path primary = layout.file(origin, origin);
    boolean hasPrimary = Files.exists(primary, LinkOption.NOFOLLOW_LINKS) && adopt(origin, primary);
    int children = 0;
    for (Path path : entries(directory)) {
      if (!path.equals(primary) && adopt(origin, path)) {
        children++;
      }
    }
    if (hasPrimary) {
      return;
    }
    if (children > 0) {
      LOG.log(
          WARNING,
          "{0} has no volume; its {1} snapshots were recovered",
          directory,
          Integer.toString(children));
    } else if (PathCalls.removeDirectory(directory)) {
      LOG.log(INFO, "removed, empty: {0}", directory);
    } else {
      LOG.log(WARNING, "left alone, holds no node: {0}", directory);
    }
  }

  /** Takes a file into the index. Returns whether it is a node. */
  private boolean adopt(NodeId origin, Path path) throws IOException, LinuxException {
    String name = path.getFileName().toString();
    if (name.startsWith(Layout.NEW)) {
      discard(path);
      return false;
    }
    NodeId id = nodeId(name);
    PosixFileAttributes attributes =
        Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (id == null || !attributes.isRegularFile()) {
      LOG.log(WARNING, "left alone, not a node: {0}", path);
      return false;
    }
    if (attributes.size() == 0) {
      // No node is empty: this is a copy that a loss of power kept from getting its content.
      LOG.log(WARNING, "removed, a copy that was not finished: {0}", path);
      PathCalls.unlink(path);
      return false;
    }
    NodeIndex.Entry entry = index.adopt(id, origin);
    if (entry == null) {
      LOG.log(WARNING, "skipped, another node has that name: {0}", path);
      return false;
    }
    boolean volume =
        id.equals(origin) && attributes.permissions().contains(PosixFilePermission.OWNER_WRITE);
    Node.Kind kind = volume ? Node.Kind.VOLUME : Node.Kind.SNAPSHOT;
    entry.publish(new Node(id, kind, origin, attributes.size()));
    return true;
  }

  private static void discard(Path unfinished) throws IOException, LinuxException {
    LOG.log(INFO, "removed, was not finished: {0}", unfinished);
    if (Files.isDirectory(unfinished, LinkOption.NOFOLLOW_LINKS)) {
      for (Path path : entries(unfinished)) {
        PathCalls.unlink(path);
      }
      PathCalls.removeDirectory(unfinished);
    } else {
      PathCalls.unlink(unfinished);
    }
  }

  private static List<Path> entries(Path directory) throws IOException {
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    }
    Collections.sort(entries);
    return entries;
  }

  private static @Nullable NodeId nodeId(String name) {
    try {
      return NodeId.of(name);
    } catch (RametException e) {
      return null;
    }
  }
}
