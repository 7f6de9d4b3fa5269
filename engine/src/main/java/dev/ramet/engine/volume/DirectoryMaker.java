// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.engine.volumes.VolumeContent;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.tree.Tree;
import java.util.Arrays;
import java.util.Objects;

/** Creates directories for clients. The caller holds the lock of the volume. */
final class DirectoryMaker {
  private static final int MODE = 0x1ED; // rwxr-xr-x

  private DirectoryMaker() {}

  /** Creates a directory with the given attributes, and defaults for the others. */
  static void make(Tree tree, byte[] name, VolumeContent.Attributes attributes)
      throws LinuxException {
    tree.makeDirectory(name, Objects.requireNonNullElse(attributes.mode(), MODE));
    try (Fd fd = tree.openAny(name)) {
      GuestChanges.setOwner(
          fd,
          Objects.requireNonNullElse(attributes.uid(), 0),
          Objects.requireNonNullElse(attributes.gid(), 0));
    }
  }

  /** Creates the missing parent directories of a path. */
  static void makeParents(Tree tree, byte[] path) throws LinuxException {
    for (int i = 0; i < path.length; i++) {
      if (path[i] == '/') {
        try {
          tree.makeDirectory(Arrays.copyOf(path, i), MODE);
        } catch (LinuxException e) {
          if (e.errno() != LinuxException.EEXIST) {
            throw e;
          }
        }
      }
    }
  }
}
