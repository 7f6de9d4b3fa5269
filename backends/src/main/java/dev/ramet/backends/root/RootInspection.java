// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.root;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.DirectoryReader;
import dev.ramet.linux.file.FileStat;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFinding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares a root's files with its index while both are in use. An operation takes a name in the
 * index before its file exists, and releases it when the file is gone: a file whose name is not
 * taken therefore belongs to no operation. Used by one thread.
 *
 * @see dev.ramet.spi.storage.StorageInspection
 */
public final class RootInspection {
  private static final int PAGE = 1024;

  private final Layout layout;
  private final Disk disk;
  private final NodeIndex index;
  private final boolean mend;
  private final Consumer<StorageFinding> findings;

  /** Creates an inspection of a root. */
  public RootInspection(
      Layout layout, Disk disk, NodeIndex index, boolean mend, Consumer<StorageFinding> findings) {
    this.layout = layout;
    this.disk = disk;
    this.index = index;
    this.mend = mend;
    this.findings = findings;
  }

  /** Looks at everything once. */
  public void run() {
    try {
      if (!Files.exists(layout.marker())) {
        report(
            StorageFinding.damage(
                layout.marker(),
                "the file that says which backend made this root is gone",
                "restore it; otherwise the next start refuses the root"));
      }
      try (DirectoryReader reader = new DirectoryReader()) {
        for (var entry : listSorted(reader, layout.volumes()).entrySet()) {
          if (!entry.getKey().equals(Layout.MARKER)) {
            inspectTopEntry(reader, entry.getKey(), entry.getValue());
          }
        }
      }
      // From the index: a node whose file is gone is in no directory.
      NodeId last = null;
      for (List<Node> page = index.page(null, PAGE); !page.isEmpty(); ) {
        for (Node node : page) {
          inspectFile(node);
          last = node.id();
        }
        page = index.page(last, PAGE);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "look through " + layout.volumes(), layout.volumes());
    }
  }

  private static NavigableMap<String, DirectoryReader.Type> listSorted(
      DirectoryReader reader, Path directory) throws LinuxException {
    NavigableMap<String, DirectoryReader.Type> names = new TreeMap<>();
    try {
      reader.read(directory, names::put);
    } catch (LinuxException e) {
      // Its last node was deleted meanwhile.
      if (e.errno() != LinuxException.ENOENT) {
        throw e;
      }
    }
    return names;
  }

  private void inspectTopEntry(DirectoryReader reader, String name, DirectoryReader.Type type)
      throws LinuxException {
    Path path = layout.volumes().resolve(name);
    boolean directory = type == DirectoryReader.Type.DIRECTORY;
    if (Layout.isUnfinished(name) && directory) {
      unfinishedVolume(reader, path, NodeId.of(name.substring(Layout.NEW.length())));
    } else if (name.equals(Layout.NEW + Layout.MARKER) && type == DirectoryReader.Type.FILE) {
      unfinishedMarker(path);
    } else if (directory && NodeId.isValid(name)) {
      inspectOrigin(reader, path, NodeId.of(name));
    } else {
      report(StorageFinding.foreign(path, "not a volume's directory"));
    }
  }

  private void inspectOrigin(DirectoryReader reader, Path directory, NodeId origin)
      throws LinuxException {
    var entries = listSorted(reader, directory);
    for (var entry : entries.entrySet()) {
      String name = entry.getKey();
      Path path = directory.resolve(name);
      boolean file = entry.getValue() == DirectoryReader.Type.FILE;
      if (Layout.isUnfinished(name) && file) {
        leftover(
            path,
            NodeId.of(name.substring(Layout.NEW.length())),
            "a snapshot that was not finished",
            () -> disk.unlink(path));
      } else if (file && NodeId.isValid(name)) {
        inspectNode(path, NodeId.of(name), origin);
      } else {
        report(StorageFinding.foreign(path, "not a node"));
      }
    }
    NodeIndex.Entry primary = index.get(origin);
    // One whose last node is being deleted is about to go.
    boolean nobodys = primary == null || !primary.origin().equals(origin);
    if (entries.isEmpty() && nobodys) {
      leftover(
          directory,
          origin,
          "a directory without a volume and without snapshots",
          () -> disk.removeDirectory(directory));
    }
  }

  private void inspectNode(Path path, NodeId id, NodeId origin) throws LinuxException {
    NodeIndex.Entry entry = index.get(id);
    if (entry == null) {
      FileStat stat = stat(path);
      if (stat == null || index.get(id) != null) {
        return;
      }
      if (stat.sizeBytes() == 0 && RootScan.hasNodePermissions(stat)) {
        leftover(path, id, "a copy that was not finished", () -> disk.unlink(path));
      } else {
        report(
            StorageFinding.foreign(
                path,
                stat.sizeBytes() == 0
                    ? "an empty file, which is not a node"
                    : "appeared while the host was running, and not through it"));
      }
    } else if (!entry.origin().equals(origin) && stat(path) != null) {
      report(
          StorageFinding.foreign(
              path, "the node in " + layout.directory(entry.origin()) + " has this name"));
    }
  }

  private void inspectFile(Node node) throws LinuxException {
    NodeIndex.Entry entry = index.get(node.id());
    if (entry == null) {
      return;
    }
    // Held, so that it is not deleted or changed while it is looked at.
    entry.lock().readLock().lock();
    try {
      Node now = entry.node();
      if (now != null) {
        compareStat(now, layout.file(now.origin(), now.id()));
      }
    } finally {
      entry.lock().readLock().unlock();
    }
  }

  private void compareStat(Node node, Path path) throws LinuxException {
    FileStat stat = stat(path);
    if (stat == null || !stat.isRegularFile()) {
      report(StorageFinding.damage(path, "the file of " + node.id() + " is gone"));
    } else if (stat.sizeBytes() != node.sizeBytes()) {
      report(
          StorageFinding.damage(
              path, node.id() + " has " + stat.sizeBytes() + " bytes, not " + node.sizeBytes()));
    } else if (node.id().equals(node.origin())
        && stat.isSticky() != (node.kind() == Node.Kind.SNAPSHOT)) {
      report(StorageFinding.damage(path, "its permissions do not say that it is a " + kind(node)));
    }
  }

  private static String kind(Node node) {
    return node.kind() == Node.Kind.SNAPSHOT ? "snapshot" : "volume";
  }

  private static @Nullable FileStat stat(Path path) throws LinuxException {
    try {
      return PathCalls.stat(path);
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        return null;
      }
      throw e;
    }
  }

  private void unfinishedVolume(DirectoryReader reader, Path path, NodeId id)
      throws LinuxException {
    List<String> content = new ArrayList<>();
    boolean[] foreign = {false};
    listSorted(reader, path)
        .forEach(
            (name, type) -> {
              content.add(name);
              foreign[0] |= type != DirectoryReader.Type.FILE || !name.equals(id.value());
            });
    if (foreign[0]) {
      report(StorageFinding.foreign(path, "not an unfinished volume"));
      return;
    }
    leftover(
        path,
        id,
        "a volume that was not finished",
        () -> {
          for (String name : content) {
            disk.unlink(path.resolve(name));
          }
          disk.removeDirectory(path);
        });
  }

  /** Markers are not written while the root is open. */
  private void unfinishedMarker(Path path) throws LinuxException {
    FileStat stat = stat(path);
    if (stat != null) {
      StorageFinding finding =
          StorageFinding.leftover(
              path, "a backend's marker that was not finished", stat.allocatedBytes());
      if (mend) {
        disk.unlink(path);
        finding = finding.mended();
      }
      report(finding);
    }
  }

  private interface Removal {
    void run() throws LinuxException;
  }

  /** Reports an unfinished file, unless an operation is creating it right now. */
  private void leftover(Path path, NodeId id, String what, Removal removal) throws LinuxException {
    NodeIndex.Entry holder = index.get(id);
    if (holder != null && holder.node() == null) {
      return;
    }
    NodeIndex.Entry held = null;
    if (holder == null) {
      try {
        // While the name is held here, no operation can begin to use it; a name taken by a node
        // cannot be held.
        held = index.reserve(id, id);
      } catch (RametException taken) {
        // Somebody has begun to make it in this moment, so it is not left over.
        return;
      }
    }
    try {
      FileStat stat = stat(path);
      if (stat == null) {
        return;
      }
      StorageFinding finding = StorageFinding.leftover(path, what, bytes(path, id, stat));
      if (mend) {
        removal.run();
        finding = finding.mended();
      }
      report(finding);
    } finally {
      if (held != null) {
        index.unregister(held);
      }
    }
  }

  private static long bytes(Path path, NodeId id, FileStat stat) throws LinuxException {
    FileStat content = stat.isDirectory() ? stat(path.resolve(id.value())) : stat;
    return content == null || content.isDirectory() ? 0 : content.allocatedBytes();
  }

  private void report(StorageFinding finding) {
    findings.accept(finding);
  }
}
