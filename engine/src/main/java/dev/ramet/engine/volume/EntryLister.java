// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.engine.volumes.VolumeEntry;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.tree.Tree;
import dev.ramet.linux.tree.TreeEntry;
import dev.ramet.linux.tree.TreeName;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Describes the files of a volume to clients. */
final class EntryLister {
  private static final int MAX = 50_000;

  private EntryLister() {}

  /** Describes one file from its attributes. */
  static VolumeEntry describe(Tree tree, byte[] name, TreeEntry e) throws LinuxException {
    VolumeEntry.Type type =
        e.isFile()
            ? VolumeEntry.Type.FILE
            : e.isDirectory()
                ? VolumeEntry.Type.DIRECTORY
                : e.isLink() ? VolumeEntry.Type.SYMLINK : VolumeEntry.Type.UNKNOWN;
    return new VolumeEntry(
        "/" + new String(name, StandardCharsets.UTF_8),
        type,
        e.isLink() ? new String(tree.readLink(name), StandardCharsets.UTF_8) : null,
        e.sizeBytes(),
        new VolumeEntry.Permissions(e.permissions(), e.uid(), e.gid()),
        new VolumeEntry.Times(
            instant(e.accessedNanos()), instant(e.modifiedNanos()), instant(e.changedNanos())));
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(0, nanos);
  }

  /**
   * Lists a directory, each subdirectory before its contents, in the order of names.
   *
   * @param depth how many levels, 1 or more
   * @throws LinuxException EFBIG if there are too many entries
   */
  static List<VolumeEntry> listDirectory(Tree tree, byte[] name, int depth) throws LinuxException {
    List<VolumeEntry> found = new ArrayList<>();
    add(tree, name, depth, found);
    return found;
  }

  private static void add(Tree tree, byte[] name, int depth, List<VolumeEntry> found)
      throws LinuxException {
    List<TreeName> names = tree.list(name, MAX - found.size());
    names.sort(Comparator.comparing(TreeName::bytes, Arrays::compareUnsigned));
    for (TreeName next : names) {
      byte[] path = TreeRemoval.join(name, next.bytes());
      TreeEntry entry;
      try {
        entry = tree.stat(path);
        found.add(describe(tree, path, entry));
        if (entry.isDirectory() && depth > 1) {
          add(tree, path, depth - 1, found);
        }
      } catch (LinuxException e) {
        if (e.errno() != LinuxException.ENOENT && e.errno() != ContentErrors.ENOTDIR) {
          throw e; // otherwise a guest has removed it meanwhile
        }
      }
    }
  }
}
