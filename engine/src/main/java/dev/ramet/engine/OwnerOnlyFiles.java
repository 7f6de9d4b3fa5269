// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.Directories;
import dev.ramet.files.DiskFullErrors;
import dev.ramet.files.DiskFullException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.Host;
import dev.ramet.linux.tree.TreeAttributes;
import dev.ramet.linux.tree.TreeEntry;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Keeps other users of this machine out of the files that Ramet writes: images hold guest memory,
 * and a shared volume's files are accessible to every user in a guest. Thread-safe.
 */
public final class OwnerOnlyFiles {
  private static final System.Logger LOG = System.getLogger(OwnerOnlyFiles.class.getName());
  private static final int OWNER = 0700;
  private static final int GROUP_AND_OTHERS = 077;
  private static final int STICKY = 01000;

  private OwnerOnlyFiles() {}

  /**
   * Makes this process, and every program it starts, create files and directories that only their
   * owner can access, regardless of the inherited umask. For programs that are a host or do a
   * host's work; an engine embedded in another process does not change that process's umask.
   */
  public static void restrictNewFiles() {
    Host.makeForOwnerOnly();
  }

  /**
   * Creates a root if it is absent, and removes access for everyone but its owner, so that others
   * can reach nothing below it. Directories above it are never changed. If this user may not change
   * the root's mode, it stays as it is and a warning is logged.
   *
   * @param what the purpose of the root, in a word or two
   * @throws RametException {@code INVALID_ARGUMENT} when it is not a directory, or others use it;
   *     {@code NO_SPACE} or {@code HOST_UNFIT} when it cannot be created
   */
  public static void secureRoot(String what, Path root) {
    try {
      Directories.make(what, root);
      closeToOthers(what, root);
    } catch (IOException e) {
      String failed = "cannot make the " + what + " " + root;
      if (DiskFullException.isFull(root, 0)) {
        throw DiskFullErrors.error(failed, root, e);
      }
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          failed + ": " + e,
          "create it, or run Ramet as a user who may, such as root",
          e);
    }
  }

  private static void closeToOthers(String what, Path root) throws IOException {
    try (Fd directory = Fd.openDirectory(root)) {
      TreeEntry entry = TreeAttributes.of(directory);
      if ((entry.permissions() & GROUP_AND_OTHERS) == 0) {
        return;
      }
      refuseShared(what, root, entry);
      directory.chmod(entry.permissions() & OWNER);
      LOG.log(
          INFO,
          "{0} was open to other users of this machine (mode {1}); now only its owner can open it",
          root,
          Integer.toOctalString(entry.permissions()));
    } catch (LinuxException e) {
      LOG.log(
          WARNING,
          "{0} stays open to other users of this machine ({1}); remedy: chmod 700 {0}, as its owner"
              + " or root",
          root,
          e.getMessage());
    }
  }

  /**
   * Refuses a directory that others use, because closing it would lock them out of their own files.
   */
  private static void refuseShared(String what, Path root, TreeEntry entry) throws IOException {
    if ((entry.permissions() & STICKY) != 0
        || root.toRealPath().getParent() == null
        || (isNew(root) && hasForeignFiles(root, entry.uid()))) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          what + ": others use " + root + " too, and only the owner may open a data root",
          "give Ramet a directory that nobody else uses",
          null);
    }
  }

  private static boolean isNew(Path root) {
    return !Files.exists(root.resolve(".lock")) && !Files.exists(root.resolve("root.json"));
  }

  private static boolean hasForeignFiles(Path root, int owner) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
      for (Path entry : entries) {
        int uid = (int) Files.getAttribute(entry, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (uid != 0 && uid != owner && uid != Host.effectiveUid()) {
          return true;
        }
      }
      return false;
    } catch (NoSuchFileException e) {
      return true; // Entries come and go here, so other programs use the directory.
    }
  }
}
