// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.tree.Tree;
import dev.ramet.linux.tree.TreeEntry;
import dev.ramet.linux.tree.TreeName;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Removes other users' access to files below a root; earlier versions created files with such
 * modes. The root itself is already closed, so this is a second barrier. It is cheap: a directory
 * is closed after its content, so a closed directory directly below the root is not entered again.
 */
public final class ContentPermissions {
  private static final System.Logger LOG = System.getLogger(ContentPermissions.class.getName());
  private static final int GROUP_AND_OTHERS = 077;

  /** Guests see the modes of these files. */
  private static final Pattern GUESTS = Pattern.compile("shared-volumes/[^/]+/files");

  /**
   * The storage backend encodes state in the modes of its files, and unnamed files belong to
   * guests.
   */
  private static final Pattern NOT_ENTERED = Pattern.compile("volumes|shared-volumes/[^/]+/[^/]+");

  private final Tree tree;
  private final int owner;
  private int closed;
  private int failed;
  private @Nullable String failure;

  private ContentPermissions(Tree tree, int owner) {
    this.tree = tree;
    this.owner = owner;
  }

  /**
   * Removes other users' access, as far as this user may. Files that belong to another user than
   * the root does are left as they are.
   */
  public static void restrict(Path root) {
    try (Tree tree = Tree.open(root)) {
      ContentPermissions contents = new ContentPermissions(tree, tree.stat(new byte[0]).uid());
      contents.restrictDirectory("");
      contents.report(root);
    } catch (LinuxException e) {
      LOG.log(
          WARNING, "cannot check what in {0} is open to other users: {1}", root, e.getMessage());
    }
  }

  private void report(Path root) {
    if (closed > 0) {
      LOG.log(INFO, "closed {0} files and directories in {1} to other users", closed, root);
    }
    if (failed > 0) {
      LOG.log(
          WARNING,
          "{0} files and directories in {1} stay open to other users: {2}",
          failed,
          root,
          failure);
    }
  }

  private void restrictDirectory(String directory) throws LinuxException {
    for (TreeName name : tree.list(bytes(directory), Integer.MAX_VALUE)) {
      String path =
          (directory.isEmpty() ? "" : directory + "/") + new String(name.bytes(), ISO_8859_1);
      try {
        restrictEntry(path, !directory.isEmpty());
      } catch (LinuxException e) {
        // Another mounted file system is not part of this root, and a file that is gone needs
        // nothing.
        if (e.errno() != LinuxException.EXDEV && e.errno() != LinuxException.ENOENT) {
          failed++;
          failure = e.getMessage();
        }
      }
    }
  }

  private void restrictEntry(String path, boolean inOpenOne) throws LinuxException {
    TreeEntry entry = tree.stat(bytes(path));
    boolean open = (entry.permissions() & GROUP_AND_OTHERS) != 0;
    if (entry.isLink() || entry.uid() != owner || GUESTS.matcher(path).matches()) {
      return;
    }
    if (entry.isDirectory() && (open || inOpenOne) && !NOT_ENTERED.matcher(path).matches()) {
      restrictDirectory(path);
    }
    if (open) {
      tree.setMode(bytes(path), entry.permissions() & ~GROUP_AND_OTHERS);
      closed++;
    }
  }

  private static byte[] bytes(String path) {
    return path.getBytes(ISO_8859_1);
  }
}
