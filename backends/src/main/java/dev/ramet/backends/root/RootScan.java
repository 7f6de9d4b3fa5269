// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.root;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.DirectoryReader;
import dev.ramet.linux.file.FileStat;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds the index from the files on disk, and removes what a crash left half-made. Deletes
 * nothing else: unknown files are reported and left alone.
 *
 * <p>It reads the names of all files, but only those files that tell what a directory is. A
 * snapshot's name says everything but its size, which in a large root is read when it is first
 * needed.
 *
 * <p>In a root that is only examined it removes nothing: such files are not nodes, and a {@link
 * RootInspection} reports them.
 */
public final class RootScan implements NodeIndex.Reader {
  private static final System.Logger LOG = System.getLogger(RootScan.class.getName());

  /** Up to so many nodes, which takes some milliseconds, are all looked at when the root opens. */
  private static final int SMALL = 1024;

  /** The permission bits of a mode, inode(7). */
  private static final int PERMISSIONS = 07777;

  private final Layout layout;
  private final Disk disk;
  private final NodeIndex index;
  private final boolean clears;

  /** Creates a scan of a root into an index. */
  public RootScan(Layout layout, Disk disk, NodeIndex index) {
    this(layout, disk, index, true);
  }

  private RootScan(Layout layout, Disk disk, NodeIndex index, boolean clears) {
    this.layout = layout;
    this.disk = disk;
    this.index = index;
    this.clears = clears;
  }

  /** Scans a root that is only examined, which may be missing. */
  static void scanReadOnly(Layout layout, Disk disk, NodeIndex index) throws LinuxException {
    if (Files.isDirectory(layout.volumes())) {
      new RootScan(layout, disk, index, false).run();
    }
  }

  /** Runs the scan, once, before anybody uses the index. */
  public void run() throws LinuxException {
    // In the order of names, so that of two equal ones the same is chosen every time.
    TreeMap<String, DirectoryReader.Type> directories = new TreeMap<>();
    try (DirectoryReader reader = new DirectoryReader()) {
      reader.read(layout.volumes(), directories::put);
      directories.remove(Layout.MARKER);
      for (var entry : directories.entrySet()) {
        Path path = layout.volumes().resolve(entry.getKey());
        if (entry.getKey().startsWith(Layout.NEW)) {
          if (clears) {
            discard(reader, path, entry.getValue());
          }
        } else if (entry.getValue() != DirectoryReader.Type.DIRECTORY
            || !NodeId.isValid(entry.getKey())) {
          LOG.log(logLevel(), "left alone, not a volume''s directory: {0}", path);
        } else {
          scan(reader, NodeId.of(entry.getKey()), path);
        }
      }
    }
    if (index.size() <= SMALL) {
      index.nodes();
    } else {
      index.beginOrder();
    }
  }

  /** Reads the names of one directory. */
  private final class Directory implements DirectoryReader.Visitor {
    private final NodeId origin;
    private final Path path;
    private final List<NodeIndex.Entry> found = new ArrayList<>();
    private final List<Path> unfinished = new ArrayList<>();

    Directory(NodeId origin, Path path) {
      this.origin = origin;
      this.path = path;
    }

    @Override
    public void visit(String name, DirectoryReader.Type type) {
      if (type == DirectoryReader.Type.FILE && NodeId.isValid(name)) {
        NodeIndex.Entry entry = index.adopt(NodeId.of(name), origin, RootScan.this);
        if (entry == null) {
          LOG.log(logLevel(), "skipped, because another node has that name: {0}/{1}", path, name);
        } else {
          found.add(entry);
        }
      } else if (type == DirectoryReader.Type.FILE && Layout.isUnfinished(name)) {
        unfinished.add(path.resolve(name));
      } else {
        LOG.log(logLevel(), "left alone, not a node: {0}/{1}", path, name);
      }
    }
  }

  private void scan(DirectoryReader reader, NodeId origin, Path directory) throws LinuxException {
    Directory content = new Directory(origin, directory);
    reader.read(directory, content);
    if (!clears) {
      return;
    }
    for (Path path : content.unfinished) {
      LOG.log(INFO, "removed, unfinished: {0}", path);
      disk.unlink(path);
    }
    NodeIndex.Entry primary = index.get(origin);
    if (primary == null || !primary.origin().equals(origin)) {
      withoutPrimary(directory, content.found);
    }
  }

  /** An examination reports all of this as findings instead. */
  private System.Logger.Level logLevel() {
    return clears ? WARNING : DEBUG;
  }

  /** Only here must the snapshots be read: without a single one, the directory is foreign. */
  private void withoutPrimary(Path directory, List<NodeIndex.Entry> found) throws LinuxException {
    long children = found.stream().filter(entry -> index.get(entry.id()) == entry).count();
    if (children > 0) {
      // This is normal for every snapshot whose volume was deleted, such as the disk of a template.
      LOG.log(
          DEBUG,
          "{0} has no volume; its {1} snapshots were recovered",
          directory,
          Long.toString(children));
    } else if (disk.removeDirectory(directory)) {
      LOG.log(INFO, "removed, empty: {0}", directory);
    } else {
      LOG.log(WARNING, "left alone, holds no node: {0}", directory);
    }
  }

  @Override
  public @Nullable Node read(NodeId id, NodeId origin) {
    Path path = layout.file(origin, id);
    try {
      FileStat stat = PathCalls.stat(path);
      if (stat.sizeBytes() == 0) {
        // No node is empty: this is a copy that a power loss kept from getting its content.
        boolean removed = clears && hasNodePermissions(stat);
        if (removed) {
          disk.unlink(path);
        }
        LOG.log(logLevel(), removed ? "removed, an unfinished copy: {0}" : "left alone: {0}", path);
        return null;
      }
      boolean volume = id.equals(origin) && !stat.isSticky();
      return new Node(id, volume ? Node.Kind.VOLUME : Node.Kind.SNAPSHOT, origin, stat.sizeBytes());
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        LOG.log(WARNING, "gone, removed by somebody else: {0}", path);
        return null;
      }
      throw HostErrors.translate(e, "look at " + id, layout.volumes());
    }
  }

  /** Returns whether a file has the permissions that every node gets at its creation. */
  static boolean hasNodePermissions(FileStat stat) {
    int permissions = stat.mode() & PERMISSIONS;
    return permissions == NodeFiles.VOLUME_MODE || permissions == NodeFiles.SNAPSHOT_MODE;
  }

  /** Removes a volume that was being made: a directory with at most the one file in it. */
  private void discard(DirectoryReader reader, Path path, DirectoryReader.Type type)
      throws LinuxException {
    String name = String.valueOf(path.getFileName());
    if (name.equals(Layout.NEW + Layout.MARKER) && type == DirectoryReader.Type.FILE) {
      disk.unlink(path);
      return;
    }
    List<String> content = new ArrayList<>();
    boolean[] foreign = {!Layout.isUnfinished(name) || type != DirectoryReader.Type.DIRECTORY};
    if (!foreign[0]) {
      reader.read(
          path,
          (file, kind) -> {
            content.add(file);
            foreign[0] |= kind != DirectoryReader.Type.FILE || !name.equals(Layout.NEW + file);
          });
    }
    if (foreign[0]) {
      LOG.log(WARNING, "left alone, not an unfinished volume: {0}", path);
      return;
    }
    LOG.log(INFO, "removed, unfinished: {0}", path);
    for (String file : content) {
      disk.unlink(path.resolve(file));
    }
    disk.removeDirectory(path);
  }
}
