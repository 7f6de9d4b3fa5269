// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Unpacks a tar archive of an untrusted guest into an empty directory. Nothing outside the
 * directory is created, changed or linked to by a hard link: names with {@code ..} are refused, and
 * symbolic links are made last, so that no entry is written through one. Devices and pipes are left
 * out, and files do not keep their set-user-ID and set-group-ID bits, because they belong to the
 * caller.
 */
final class TreeUnpacker {
  /** Permissions and the sticky bit, without the bits that set a user or group ID. */
  private static final int MODE_BITS = 01777;

  private static final int OWNER_BITS = 0700;

  private final Path directory;
  private final Consumer<String> leftOut;
  private final Map<Path, Path> files = new HashMap<>();
  private final Map<Path, TarArchiveEntry> directories = new HashMap<>();
  private final Map<Path, String> links = new HashMap<>();

  /**
   * Creates an unpacker.
   *
   * @param directory an empty directory of the caller's own
   * @param leftOut receives the names of entries that are left out
   */
  TreeUnpacker(Path directory, Consumer<String> leftOut) {
    this.directory = directory;
    this.leftOut = leftOut;
  }

  /**
   * Unpacks an archive. The owner of its directories can write to them until {@link
   * #closeDirectories}.
   *
   * @throws RametException INVALID_ARGUMENT if it contains a name or a link that is not inside it
   */
  void unpack(InputStream archive) throws IOException {
    TarArchiveInputStream tar = new TarArchiveInputStream(archive, "UTF-8");
    for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
      Path name = inside(entry.getName());
      if (entry.isDirectory()) {
        Files.createDirectories(directory.resolve(name));
        directories.put(name, entry);
      } else if (entry.isSymbolicLink()) {
        clear(name);
        links.put(name, entry.getLinkName());
      } else if (entry.isLink()) {
        hardLink(entry, name);
      } else if (entry.isFIFO() || entry.isCharacterDevice() || entry.isBlockDevice()) {
        leftOut.accept(entry.getName());
      } else {
        write(tar, entry, name);
      }
    }
    for (Map.Entry<Path, String> link : links.entrySet()) {
      // Its parents are directories that were made above: this fails if one is to be a link too.
      Files.createSymbolicLink(directory.resolve(link.getKey()), Path.of(link.getValue()));
    }
    for (Path name : insideOut()) {
      TarArchiveEntry entry = directories.get(name);
      if (entry != null) {
        setAttributes(directory.resolve(name), entry, OWNER_BITS);
      }
    }
  }

  /**
   * Gives directories their own modes, which may forbid their owner to write to them, and times.
   *
   * @param root the name of an unpacked directory, or the empty one for the tree itself
   * @param place where it was moved to
   * @param present directories at that place that were there before and stay as they are
   */
  void closeDirectories(Path root, Path place, Set<Path> present) throws IOException {
    boolean all = root.toString().isEmpty();
    for (Path name : insideOut()) {
      TarArchiveEntry entry = directories.get(name);
      Path moved =
          all ? place.resolve(name) : place.resolve(root.relativize(name).normalize().toString());
      if (entry != null && (all || name.startsWith(root)) && !present.contains(moved)) {
        setAttributes(moved, entry, 0);
      }
    }
  }

  /** Returns the directories with the innermost first: a change of an entry changes its time. */
  private List<Path> insideOut() {
    List<Path> made = new ArrayList<>(directories.keySet());
    made.removeIf(name -> name.toString().isEmpty());
    made.sort(Collections.reverseOrder());
    return made;
  }

  /** Returns a name relative to the directory; empty for the directory itself. */
  private static Path inside(String name) {
    Path path;
    try {
      path = Path.of(name.replaceFirst("^/+", "")).normalize();
    } catch (InvalidPathException e) {
      throw refused(name);
    }
    for (String part : name.split("/", -1)) {
      if (part.equals("..")) {
        throw refused(name);
      }
    }
    return path;
  }

  private static RametException refused(String name) {
    return new RametException(
        ErrorCode.INVALID_ARGUMENT,
        "the sandbox sent an entry outside the copied folder: " + name,
        "nothing was copied; look at the folder with: ramet sandbox exec ID -- ls -laR FOLDER",
        null);
  }

  private void write(InputStream content, TarArchiveEntry entry, Path name) throws IOException {
    Path file = clear(name);
    Files.copy(content, file);
    if (Files.size(file) != entry.getRealSize()) {
      throw new IOException("the archive ended within " + entry.getName());
    }
    setAttributes(file, entry, 0);
    files.put(name, file);
  }

  private void hardLink(TarArchiveEntry entry, Path name) throws IOException {
    Path existing = files.get(inside(entry.getLinkName()));
    if (existing == null) {
      throw refused(entry.getName() + " -> " + entry.getLinkName());
    }
    Path link = clear(name);
    Files.createLink(link, existing);
    files.put(name, link);
  }

  /** Returns the place of an entry that is no directory, where nothing is any more. */
  private Path clear(Path name) throws IOException {
    if (name.toString().isEmpty() || directories.containsKey(name)) {
      throw refused(name.toString());
    }
    Path place = directory.resolve(name);
    Files.createDirectories(parent(place));
    if (files.remove(name) != null) {
      Files.delete(place);
    }
    links.remove(name);
    return place;
  }

  private static Path parent(Path place) {
    Path parent = place.getParent();
    if (parent == null) {
      throw new IllegalArgumentException(place.toString());
    }
    return parent;
  }

  private static void setAttributes(Path path, TarArchiveEntry entry, int moreBits)
      throws IOException {
    Files.setAttribute(path, "unix:mode", (entry.getMode() & MODE_BITS) | moreBits);
    Files.getFileAttributeView(
            path, java.nio.file.attribute.BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setTimes(FileTime.from(entry.getLastModifiedTime().toInstant()), null, null);
  }
}
