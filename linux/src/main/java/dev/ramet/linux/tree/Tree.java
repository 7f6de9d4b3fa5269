// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;
import dev.ramet.linux.call.TreeCalls;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * A directory whose contents untrusted users may change at any time, with operations on names below
 * it. No name leads out of it: the kernel follows neither {@code ..} nor a symbolic link nor a
 * mount on the way (openat2(2), {@code RESOLVE_BENEATH}, {@code RESOLVE_NO_SYMLINKS}, {@code
 * RESOLVE_NO_XDEV}), and the last part of a name is only ever used by itself, below the directory
 * that the other parts led to.
 *
 * <p>Names are bytes as the kernel has them: relative, with parts joined by one slash each; the
 * empty name is the directory itself. A malformed name gives {@code EINVAL}, or {@code ENOENT}
 * where openat2(2) says so. Thread-safe; it must not be used during or after {@link #close}.
 */
public final class Tree implements AutoCloseable {
  private static final int O_PATH = 0x200000;
  private static final int O_NONBLOCK = 0x800;
  private static final int O_NOCTTY = 0x100;
  private static final int AT_REMOVEDIR = 0x200;
  private static final int RENAME_NOREPLACE = 1;

  private final Fd root;

  private Tree(Fd root) {
    this.root = root;
  }

  /** Opens a directory. */
  public static Tree open(Path directory) throws LinuxException {
    return new Tree(Fd.openDirectory(directory));
  }

  /** Returns the attributes of an entry; a symbolic link is not followed. */
  public TreeEntry stat(byte[] name) throws LinuxException {
    try (Fd fd = openAny(name)) {
      return TreeAttributes.of(fd);
    }
  }

  /** Opens a regular file that is there; {@code ELOOP} for a link, {@code EINVAL} for the rest. */
  public Fd openFile(byte[] name, boolean write) throws LinuxException {
    Set<OpenFlag> flags = write ? Set.of(OpenFlag.READ, OpenFlag.WRITE) : Set.of(OpenFlag.READ);
    // A file that is not regular must not block the caller: opening a pipe waits for its other end.
    return checkedFile(openBelow(name, OpenFlag.bits(flags) | O_NONBLOCK | O_NOCTTY, 0));
  }

  /**
   * Makes a regular file and opens it.
   *
   * @param mode of which {@link TreeAttributes#KEPT_MODE} is kept; the umask does not apply
   * @throws LinuxException {@code EEXIST} when anything has that name
   */
  public Fd createFile(byte[] name, int mode) throws LinuxException {
    Set<OpenFlag> flags =
        Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.CREATE, OpenFlag.EXCLUSIVE);
    Fd fd = openBelow(name, OpenFlag.bits(flags) | O_NOCTTY, 0x180);
    try {
      fd.chmod(mode & TreeAttributes.KEPT_MODE);
      return fd;
    } catch (LinuxException e) {
      fd.close();
      throw e;
    }
  }

  private static Fd checkedFile(Fd fd) throws LinuxException {
    try {
      TreeEntry entry = TreeAttributes.of(fd);
      if (!entry.isFile()) {
        throw fd.failure("open", entry.isDirectory() ? Errnos.EISDIR : LinuxException.EINVAL);
      }
      return fd;
    } catch (LinuxException e) {
      fd.close();
      throw e;
    }
  }

  /** Makes a directory with permission bits, whatever the umask. */
  public void makeDirectory(byte[] name, int mode) throws LinuxException {
    inParent(
        name,
        (directory, last) -> {
          int result = TreeCalls.mkdirat(directory.number(), last, 0x1C0);
          check(directory, "mkdirat", result, result < 0 ? Native.getLastError() : 0);
        });
    setMode(name, mode);
  }

  /** Creates a symbolic link. Its target is never followed here. */
  public void makeLink(byte[] name, byte[] target) throws LinuxException {
    TreePath.checkLength(root, target);
    inParent(
        name,
        (directory, last) -> {
          int result = TreeCalls.symlinkat(TreePath.zeroEnded(target), directory.number(), last);
          check(directory, "symlinkat", result, result < 0 ? Native.getLastError() : 0);
        });
  }

  /** Returns the target of a symbolic link; throws {@code EINVAL} for any other file. */
  public byte[] readLink(byte[] name) throws LinuxException {
    try (Fd fd = openAny(name)) {
      byte[] target = new byte[TreePath.MAX_BYTES + 1];
      long length = TreeCalls.readlinkat(fd.number(), new byte[1], target, target.length);
      int errno = length < 0 ? Native.getLastError() : 0;
      // For a file that is not a link, readlinkat(2) with an empty name fails with ENOENT.
      check(
          fd, "readlinkat", length, errno == LinuxException.ENOENT ? LinuxException.EINVAL : errno);
      return Arrays.copyOf(target, (int) length);
    }
  }

  /** Gives a file another name; {@code EPERM} for a directory. */
  public void addName(byte[] from, byte[] to) throws LinuxException {
    addName(from, this, to);
  }

  /** Adds a name in another tree of the same file system. */
  public void addName(byte[] from, Tree other, byte[] to) throws LinuxException {
    inParent(
        from,
        (source, oldName) ->
            other.inParent(
                to,
                (target, newName) -> {
                  int result =
                      FileCalls.linkat(source.number(), oldName, target.number(), newName, 0);
                  check(target, "linkat", result, result < 0 ? Native.getLastError() : 0);
                }));
  }

  /** Takes away a name that is no directory's. */
  public void unlink(byte[] name) throws LinuxException {
    remove(name, 0);
  }

  /** Removes an empty directory. */
  public void removeDirectory(byte[] name) throws LinuxException {
    remove(name, AT_REMOVEDIR);
  }

  private void remove(byte[] name, int flags) throws LinuxException {
    inParent(
        name,
        (directory, last) -> {
          int result = TreeCalls.unlinkat(directory.number(), last, flags);
          check(directory, "unlinkat", result, result < 0 ? Native.getLastError() : 0);
        });
  }

  /**
   * Renames an entry. Unless {@code replace} is false, an entry with the new name is replaced as by
   * rename(2).
   */
  public void rename(byte[] from, byte[] to, boolean replace) throws LinuxException {
    rename(from, this, to, replace);
  }

  /** Renames an entry into another tree of the same file system. */
  public void rename(byte[] from, Tree other, byte[] to, boolean replace) throws LinuxException {
    inParent(
        from,
        (source, oldName) ->
            other.inParent(
                to,
                (target, newName) -> {
                  int flags = replace ? 0 : RENAME_NOREPLACE;
                  int result =
                      FileCalls.renameat2(
                          source.number(), oldName, target.number(), newName, flags);
                  check(target, "renameat2", result, result < 0 ? Native.getLastError() : 0);
                }));
  }

  /**
   * Sets the permission bits, of which {@link TreeAttributes#KEPT_MODE} is kept; {@code EINVAL} for
   * a link.
   */
  public void setMode(byte[] name, int mode) throws LinuxException {
    try (Fd fd = openAny(name)) {
      TreeAttributes.setMode(fd, mode);
    }
  }

  /** Holds an entry of any kind, without the right to read or write it ({@code O_PATH}). */
  public Fd openAny(byte[] name) throws LinuxException {
    if (name.length == 0) {
      return openBelow(name, O_PATH | OpenFlag.bits(Set.of(OpenFlag.DIRECTORY)), 0);
    }
    List<Fd> found = new ArrayList<>(1);
    inParent(
        name,
        (directory, last) ->
            // A link itself is opened; the last part alone cannot lead anywhere else.
            found.add(
                BeneathOpen.open(
                    directory, last, O_PATH | OpenFlag.bits(Set.of(OpenFlag.NO_FOLLOW)), 0)));
    return found.get(0);
  }

  /**
   * Returns the names in a directory, in the order of the file system, without {@code .} and {@code
   * ..}.
   *
   * @param most how many there may be; {@code EFBIG} for more
   */
  public List<TreeName> list(byte[] name, int most) throws LinuxException {
    int flags = OpenFlag.bits(Set.of(OpenFlag.READ, OpenFlag.DIRECTORY));
    try (Fd fd = openBelow(name, flags, 0)) {
      return TreeListing.read(fd, most);
    }
  }

  /** An operation on the last part of a name, below the directory it is in. */
  private interface Step {
    void apply(Fd directory, byte[] last) throws LinuxException;
  }

  private void inParent(byte[] name, Step step) throws LinuxException {
    TreePath.check(root, name);
    int slash = name.length - 1;
    while (slash >= 0 && name[slash] != '/') {
      slash--;
    }
    byte[] last = Arrays.copyOfRange(name, slash + 1, name.length + 1); // with a zero at its end
    if (slash < 0) {
      step.apply(root, last);
      return;
    }
    int flags = O_PATH | OpenFlag.bits(Set.of(OpenFlag.DIRECTORY));
    try (Fd directory = openBelow(Arrays.copyOf(name, slash), flags, 0)) {
      step.apply(directory, last);
    }
  }

  private Fd openBelow(byte[] name, int flags, int mode) throws LinuxException {
    if (name.length == 0) {
      return BeneathOpen.open(root, new byte[] {'.', 0}, flags, mode);
    }
    TreePath.check(root, name);
    return BeneathOpen.open(root, TreePath.zeroEnded(name), flags, mode);
  }

  static void check(Fd fd, String call, long result, int errno) throws LinuxException {
    if (result < 0) {
      throw fd.failure(call, errno);
    }
  }

  /** Makes the entries of a directory survive a power loss. */
  public void syncDirectory(byte[] name) throws LinuxException {
    int flags = OpenFlag.bits(Set.of(OpenFlag.READ, OpenFlag.DIRECTORY));
    try (Fd fd = openBelow(name, flags, 0)) {
      fd.fsync();
    }
  }

  /** Closes the directory. */
  @Override
  public void close() {
    root.close();
  }
}
