// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.engine.support.Ids;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.tree.Tree;
import dev.ramet.linux.tree.TreeName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Removes directory trees of any depth, even deeper than the longest path or the stack allows.
 * Subdirectories of a removed directory are first moved to the top level. The caller must have the
 * tree to itself.
 */
final class TreeRemoval {
  private TreeRemoval() {}

  /** Removes everything in a tree. */
  static void removeContents(Tree tree) throws LinuxException {
    for (TreeName name : tree.list(new byte[0], Integer.MAX_VALUE)) {
      remove(tree, name.bytes());
    }
  }

  /** Removes an entry of a tree's top directory. Succeeds if it is absent. */
  static void remove(Tree tree, byte[] name) throws LinuxException {
    Deque<byte[]> rest = new ArrayDeque<>();
    rest.add(name);
    while (!rest.isEmpty()) {
      byte[] next = rest.remove();
      try {
        if (!tree.stat(next).isDirectory()) {
          tree.unlink(next);
          continue;
        }
        for (TreeName inner : tree.list(next, Integer.MAX_VALUE)) {
          byte[] path = join(next, inner.bytes());
          if (tree.stat(path).isDirectory()) {
            byte[] up = Ids.newId('t').getBytes(StandardCharsets.US_ASCII);
            tree.rename(path, up, false);
            rest.add(up);
          } else {
            tree.unlink(path);
          }
        }
        tree.removeDirectory(next);
      } catch (LinuxException e) {
        if (e.errno() != LinuxException.ENOENT) {
          throw e;
        }
      }
    }
  }

  static byte[] join(byte[] directory, byte[] name) {
    if (directory.length == 0) {
      return name;
    }
    byte[] path = new byte[directory.length + 1 + name.length];
    System.arraycopy(directory, 0, path, 0, directory.length);
    path[directory.length] = '/';
    System.arraycopy(name, 0, path, directory.length + 1, name.length);
    return path;
  }
}
