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
public record StateEntry(Kind kind, String id, Path path) {
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
  public static List<StateEntry> sandboxes(Layout layout) throws IOException {
    return FileTrees.children(layout.sandboxes()).stream().map(StateEntry::sandbox).toList();
  }

  /** Returns all entries in the directory of snapshots, sorted by name. */
  public static List<StateEntry> snapshots(Layout layout) throws IOException {
    return FileTrees.children(layout.snapshots()).stream().map(StateEntry::snapshot).toList();
  }

  private static StateEntry sandbox(Path path) {
    StateEntry entry = classify(path, Layout.DELETED_PREFIX);
    // The manifest is the first file in it: without one, nothing else was created yet.
    return entry.kind() == Kind.OWN && isEmpty(path)
        ? new StateEntry(Kind.UNFINISHED, entry.id(), path)
        : entry;
  }

  private static StateEntry snapshot(Path path) {
    return classify(path, Layout.PARTIAL_PREFIX, Layout.DELETED_PREFIX);
  }

  private static StateEntry classify(Path path, String... unfinished) {
    String name = String.valueOf(path.getFileName());
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      if (Ids.isId(name)) {
        return new StateEntry(Kind.OWN, name, path);
      }
      for (String prefix : unfinished) {
        if (name.startsWith(prefix) && Ids.isId(name.substring(prefix.length()))) {
          return new StateEntry(Kind.UNFINISHED, name.substring(prefix.length()), path);
        }
      }
    }
    return new StateEntry(Kind.FOREIGN, "", path);
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
