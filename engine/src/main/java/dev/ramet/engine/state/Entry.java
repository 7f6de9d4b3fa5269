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
 * What lies in the directory of all sandboxes, or of all snapshots: told by its name and what is in
 * it, so that nothing is taken for Ramet's own that Ramet cannot have made.
 *
 * @param kind what it is
 * @param id the id in its name, or empty for a foreign one
 * @param path where it is
 */
public record Entry(Kind kind, String id, Path path) {
  /** What an entry is. */
  public enum Kind {
    /**
     * The directory of a sandbox or snapshot; whether its manifest can be read is another matter.
     */
    OWN,
    /** Half-made, or half-deleted: nobody was told of it, or somebody that it is gone. */
    UNFINISHED,
    /** Not made by Ramet. */
    FOREIGN
  }

  /** All entries among the sandboxes, sorted by name. */
  public static List<Entry> sandboxes(Layout layout) throws IOException {
    return FileTrees.children(layout.sandboxes()).stream().map(Entry::sandbox).toList();
  }

  /** All entries among the snapshots, sorted by name. */
  public static List<Entry> snapshots(Layout layout) throws IOException {
    return FileTrees.children(layout.snapshots()).stream().map(Entry::snapshot).toList();
  }

  private static Entry sandbox(Path path) {
    Entry entry = of(path, Layout.DELETED_PREFIX);
    // Its manifest is the first thing in it: without one, nothing was made yet.
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

  /** Whether there is nothing in it but a manifest that was being written. */
  private static boolean isEmpty(Path directory) {
    try {
      return FileTrees.children(directory).stream()
          .allMatch(path -> path.endsWith(JsonFile.unfinished(Layout.MANIFEST)));
    } catch (IOException e) {
      return false;
    }
  }
}
