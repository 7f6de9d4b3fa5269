// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.support.Ids;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * An entry of the directory of all sandboxes or all snapshots, classified by its name and content,
 * so that nothing is mistaken for Ramet's unless Ramet can have made it.
 *
 * @param kind its classification
 * @param id the id in its name, or empty for a foreign entry
 * @param path its path
 */
public record Entry(Kind kind, String id, Path path) {
  /** The classification of an entry. */
  public enum Kind {
    /** The directory of a sandbox or snapshot; its manifest may still be unreadable. */
    OWN,
    /** Half-created or half-deleted: its creation was never acknowledged, or its deletion was. */
    UNFINISHED,
    /** Not made by Ramet. */
    FOREIGN
  }

  /** Returns all entries in the directory of sandboxes, sorted by name. */
  public static List<Entry> sandboxes(Layout layout) throws IOException {
    return FileTrees.children(layout.sandboxes()).stream().map(Entry::sandbox).toList();
  }

  /** Returns all entries in the directory of snapshots, sorted by name. */
  public static List<Entry> snapshots(Layout layout) throws IOException {
    return FileTrees.children(layout.snapshots()).stream().map(Entry::snapshot).toList();
  }

  private static Entry sandbox(Path path) {
    Entry entry = of(path, Layout.DELETED_PREFIX);
    // The manifest is the first file in it: without one, nothing else was created yet.
    return entry.kind() == Kind.OWN && isEmpty(path)
        ? new Entry(Kind.UNFINISHED, entry.id(), path)
        : entry;
  }

  private static Entry snapshot(Path path) {
    return of(path, Layout.PARTIAL_PREFIX, Layout.DELETED_PREFIX);
  }

  private static Entry of(Path path, String... unfinished) {
    String name = String.valueOf(path.getFileName());
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      if (Ids.isId(name)) {
        return new Entry(Kind.OWN, name, path);
      }
      for (String prefix : unfinished) {
        if (name.startsWith(prefix) && Ids.isId(name.substring(prefix.length()))) {
          return new Entry(Kind.UNFINISHED, name.substring(prefix.length()), path);
        }
      }
    }
    return new Entry(Kind.FOREIGN, "", path);
  }

  /** Returns whether the directory holds nothing but an unfinished manifest. */
  private static boolean isEmpty(Path directory) {
    try {
      return FileTrees.children(directory).stream()
          .allMatch(path -> path.endsWith(JsonFile.unfinished(Layout.MANIFEST)));
    } catch (IOException e) {
      return false;
    }
  }
}
