// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/**
 * Packs a folder or file of this machine as a tar archive, with modes, times, symbolic and hard
 * links. Sockets, devices and pipes are left out. A folder has an entry before its contents, with
 * which its owner can write to it, and one after them with its own mode and time: the tar in a
 * guest may set modes at once, and a user who is not root could then not unpack the rest.
 */
final class TreePacker {
  private static final int MODE_BITS = 07777;
  private static final int OWNER_BITS = 0700;

  private final Path root;
  private final String name;
  private final Consumer<String> leftOut;
  private final Map<Object, String> linked = new HashMap<>();
  private final Map<String, Integer> closed = new LinkedHashMap<>();

  /**
   * Creates a packer.
   *
   * @param root the folder or file to pack
   * @param name its name in the archive; {@code .} packs what is in it
   * @param leftOut receives the paths of what is left out
   */
  TreePacker(Path root, String name, Consumer<String> leftOut) {
    this.root = root;
    this.name = name;
    this.leftOut = leftOut;
  }

  /**
   * Writes the archive; does not close the stream. A named root keeps the mode that lets its owner
   * write to it; {@link #packRoot} has the other.
   */
  void pack(OutputStream to) throws IOException {
    TarArchiveOutputStream tar = start(to);
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            add(tar, folder, attributes, OWNER_BITS);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            boolean open = folder.equals(root) && !name.equals(".");
            add(tar, folder, attributes(folder), open ? OWNER_BITS : 0);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            add(tar, file, attributes, 0);
            return FileVisitResult.CONTINUE;
          }
        });
    tar.finish();
  }

  /**
   * Returns the modes of the packed folders that their owner cannot use in every way, by name in
   * the archive, the innermost first: the tar of busybox sets no modes if its user is not root.
   */
  Map<String, Integer> closed() {
    return closed;
  }

  /** Writes an archive with the entry of the root folder alone, with its own mode and time. */
  void packRoot(OutputStream to) throws IOException {
    TarArchiveOutputStream tar = start(to);
    add(tar, root, attributes(root), 0);
    tar.finish();
  }

  private static TarArchiveOutputStream start(OutputStream to) {
    TarArchiveOutputStream tar = new TarArchiveOutputStream(to, "UTF-8");
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_STAR);
    return tar;
  }

  private static BasicFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  private void add(
      TarArchiveOutputStream tar, Path path, BasicFileAttributes attributes, int moreBits)
      throws IOException {
    if (attributes.isOther()) {
      leftOut.accept(path.toString());
      return;
    }
    String entryName = path.equals(root) ? name : name + "/" + root.relativize(path);
    Map<String, Object> unix =
        Files.readAttributes(path, "unix:mode,nlink,ino,dev", LinkOption.NOFOLLOW_LINKS);
    TarArchiveEntry entry = entry(entryName, path, attributes, unix);
    entry.setModTime(attributes.lastModifiedTime());
    entry.setMode(((Integer) value(unix, "mode") & MODE_BITS) | moreBits);
    if (attributes.isDirectory() && (entry.getMode() & OWNER_BITS) != OWNER_BITS) {
      closed.put(entryName, entry.getMode() & MODE_BITS);
    }
    tar.putArchiveEntry(entry);
    if (attributes.isRegularFile() && !entry.isLink()) {
      Files.copy(path, tar);
    }
    tar.closeArchiveEntry();
  }

  private TarArchiveEntry entry(
      String entryName, Path path, BasicFileAttributes attributes, Map<String, Object> unix)
      throws IOException {
    if (attributes.isDirectory()) {
      return new TarArchiveEntry(entryName + "/");
    }
    if (attributes.isSymbolicLink()) {
      TarArchiveEntry link = new TarArchiveEntry(entryName, TarConstants.LF_SYMLINK);
      link.setLinkName(Files.readSymbolicLink(path).toString());
      return link;
    }
    if ((Integer) value(unix, "nlink") > 1) {
      String first = linked.putIfAbsent(value(unix, "dev") + ":" + value(unix, "ino"), entryName);
      if (first != null) {
        TarArchiveEntry link = new TarArchiveEntry(entryName, TarConstants.LF_LINK);
        link.setLinkName(first);
        return link;
      }
    }
    TarArchiveEntry file = new TarArchiveEntry(entryName);
    file.setSize(attributes.size());
    return file;
  }

  private static Object value(Map<String, Object> attributes, String key) {
    Object value = attributes.get(key);
    if (value == null) {
      throw new IllegalStateException("this system does not give " + key);
    }
    return value;
  }
}
