// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.disk.HostErrors;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.BtrfsSubvolumes;
import dev.ramet.linux.file.DirectoryReader;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFinding;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Finds the entries in a root's tree directory that are not trees, whether or not the trees are in
 * use.
 *
 * @param place the directory of the trees
 * @param receivers the trees being received there
 */
record TreeInspection(TreeDirectory place, Receivers receivers) {
  /** Looks at everything once. */
  void run(boolean mend, Consumer<StorageFinding> findings) {
    Path directory = place.directory();
    if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(directory)) {
      findings.accept(StorageFinding.foreign(directory, "not the directory of the trees"));
    }
    place.list().forEach((name, type) -> inspectEntry(name, type, mend, findings));
  }

  private void inspectEntry(
      String name, DirectoryReader.Type type, boolean mend, Consumer<StorageFinding> findings) {
    Path path = place.resolve(name);
    if (!Receivers.isName(name)) {
      if (!NodeId.isValid(name) || isNoSubvolume(path)) {
        findings.accept(StorageFinding.foreign(path, "not a tree"));
      }
    } else if (receivers.isLeftover(path, type)) {
      StorageFinding finding =
          StorageFinding.leftover(path, "a tree that was not received completely", 0);
      if (mend) {
        receivers.discard(path);
        finding = finding.mended();
      }
      findings.accept(finding);
    } else if (!receivers.isInUse(path) && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      // Asked in this order: one that is not in use any more is gone.
      findings.accept(StorageFinding.foreign(path, "not a tree that was being received"));
    }
  }

  /**
   * Returns whether something other than a subvolume is there; a path that is gone meanwhile does
   * not count.
   */
  private boolean isNoSubvolume(Path path) {
    try {
      return !BtrfsSubvolumes.isSubvolume(path);
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        return false;
      }
      throw HostErrors.translate(e, "look at " + path, place.directory());
    }
  }
}
